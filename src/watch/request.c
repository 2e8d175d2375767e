/* SPDX-License-Identifier: MIT */
/* What a request must be: see request.h. */
#include "watch/request.h"

#include "watch/watch.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool wch_is_loopback(const char *address) {
    struct in_addr four;
    struct in6_addr six;
    if (inet_pton(AF_INET, address, &four) == 1)
        return ntohl(four.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

/* With the port, which may be left out if it is HTTP's own. */
static bool names(const char *host, const char *address, uint16_t port) {
    char whole[128];
    const bool has_colon = strchr(address, ':') != NULL;
    const int length = snprintf(whole, sizeof whole, "%s%s%s:%u", has_colon ? "[" : "", address,
                                has_colon ? "]" : "", (unsigned)port);
    if (length < 0 || length >= (int)sizeof whole)
        return false;
    if (strcasecmp(host, whole) == 0)
        return true;
    *strrchr(whole, ':') = '\0';
    return port == 80 && strcasecmp(host, whole) == 0;
}

bool wch_is_our_host(const char *host, const char *address, uint16_t port) {
    static const char *const own[] = {"localhost", "127.0.0.1", "::1"};
    if (host == NULL)
        return false;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (names(host, own[i], port))
            return true;
    return names(host, address, port);
}

bool wch_is_token(const char *said, const char *token) {
    const size_t length = strlen(token);
    unsigned different = said == NULL || strlen(said) != length;
    for (size_t i = 0; i < length && said != NULL && said[i] != '\0'; i++)
        different |= (unsigned)(unsigned char)said[i] ^ (unsigned)(unsigned char)token[i];
    return different == 0;
}

bool wch_has_tag(const char *list, const char *tag) {
    return list != NULL && (strcmp(list, "*") == 0 || strstr(list, tag) != NULL);
}

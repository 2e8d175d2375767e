/* SPDX-License-Identifier: MIT */
/* Memory and devices behind a chip's bus: see chip_memory.h. Pages exist once they are written. */
#include "design/chip/chip_memory.h"

#include "base/memory.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

/* ---- Pages. */

enum { PAGE_BITS = 12, PAGE = 1 << PAGE_BITS };

static col_status open_pages(duv_pages *pages, const isa_window *window, col_problem *problem) {
    pages->window = *window;
    if (window->size == 0)
        return COL_OK;
    return base_new(&pages->pages, (size_t)(window->size >> PAGE_BITS) + 1, sizeof *pages->pages,
                    problem);
}

static void clear_pages(duv_pages *pages) {
    for (size_t i = 0; i < pages->touched_count; i++)
        memset(pages->pages[pages->touched[i]], 0, PAGE + 1);
    pages->touched_count = 0;
}

static void free_pages(duv_pages *pages) {
    for (uint64_t i = 0; pages->pages != NULL && i <= pages->window.size >> PAGE_BITS; i++)
        free(pages->pages[i]);
    free(pages->pages);
    free(pages->touched);
    *pages = (duv_pages){0};
}

static bool holds(const isa_window *window, uint64_t address, uint32_t bytes) {
    return address >= window->base && address - window->base < window->size &&
           window->size - (address - window->base) >= bytes;
}

/* A page keeps its memory when it is cleared; the byte behind its end says whether it is in the
 * list of those that have to be. */
static uint8_t *page_for_writing(duv_memory *m, duv_pages *pages, uint64_t number) {
    uint8_t *page = pages->pages[number];
    if (page != NULL && page[PAGE] != 0)
        return page;
    if (page == NULL)
        page = pages->pages[number] = calloc(1, PAGE + 1);
    if (page == NULL ||
        base_reserve(&pages->touched, &pages->touched_capacity, pages->touched_count + 1,
                     sizeof *pages->touched, NULL) != COL_OK) {
        m->status = COL_FAILURE;
        return NULL;
    }
    page[PAGE] = 1;
    pages->touched[pages->touched_count++] = (uint32_t)number;
    return page;
}

static const duv_pages *find_pages(const duv_memory *m, uint64_t address, uint32_t bytes) {
    return holds(&m->ram.window, address, bytes)        ? &m->ram
           : holds(&m->uncached.window, address, bytes) ? &m->uncached
                                                        : NULL;
}

/* ---- Devices. */

static bool covers(uint64_t address, uint32_t bytes, uint64_t word) {
    return word >= address && word - address < bytes && bytes - (word - address) >= 4;
}

static uint32_t get_word(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* A word of which a byte is missing is not written. */
static bool is_written(uint64_t address, uint32_t bytes, uint64_t strobes, uint64_t word) {
    return covers(address, bytes, word) && (strobes >> (word - address) & 15) == 15;
}

/* False: no device is there. */
static bool write_devices(duv_devices *d, uint64_t address, uint32_t bytes, const uint8_t *from,
                          uint64_t strobes) {
    const bool arrives = d->has_barrier && is_written(address, bytes, strobes, d->arrive);
    const bool exits = is_written(address, bytes, strobes, d->exit);
    if (arrives) {
        const uint32_t number = get_word(from + (d->arrive - address));
        d->arrived = number == d->coming ? d->arrived + 1 : 1;
        d->coming = number;
        d->is_held = d->arrived == d->threads && number == d->closed;
        if (d->arrived == d->threads && !d->is_held)
            d->gone = number;
    }
    if (exits) {
        const uint32_t word = get_word(from + (d->exit - address));
        if (!d->exits_in_memory || (word & 1) != 0) { /* tohost: other words are requests */
            d->has_exited = true;
            d->exit_word = word;
        }
    }
    return arrives || (exits && !d->exits_in_memory);
}

static void put_word(uint8_t *at, uint32_t word) {
    for (uint32_t i = 0; i < 4; i++)
        at[i] = (uint8_t)(word >> (8 * i));
}

/* The word that harts arrive at reads as a start skew. */
static bool read_devices(duv_devices *d, uint64_t address, uint32_t bytes, uint8_t *to) {
    const bool goes = d->has_barrier && covers(address, bytes, d->go);
    const bool asks = d->has_barrier && covers(address, bytes, d->arrive);
    if (goes)
        put_word(to + (d->go - address), d->gone);
    if (asks)
        put_word(to + (d->arrive - address), (uint32_t)base_splitmix(&d->luck));
    return goes || asks || covers(address, bytes, d->exit);
}

/* ---- All of it. */

col_status duv_memory_open(duv_memory *memory, const isa_platform *platform, col_problem *problem) {
    const col_status status = open_pages(&memory->ram, &platform->ram, problem);
    memory->devices = (duv_devices){.has_barrier = platform->barrier.kind == ISA_BARRIER_DEVICE,
                                    .arrive = platform->barrier.arrive,
                                    .go = platform->barrier.go};
    return status == COL_OK ? open_pages(&memory->uncached, &platform->uncached, problem) : status;
}

bool duv_memory_read(duv_memory *memory, uint64_t address, uint32_t bytes, uint8_t *to) {
    const duv_pages *pages = find_pages(memory, address, bytes);
    if (pages == NULL) {
        memset(to, 0, bytes);
        return read_devices(&memory->devices, address, bytes, to);
    }
    for (uint32_t done = 0; done < bytes;) {
        const uint64_t offset = address + done - pages->window.base;
        const uint32_t in_page = (uint32_t)(offset % PAGE);
        const uint32_t count = bytes - done < PAGE - in_page ? bytes - done : PAGE - in_page;
        const uint8_t *page = pages->pages[offset >> PAGE_BITS];
        if (page != NULL)
            memcpy(to + done, page + in_page, count);
        else
            memset(to + done, 0, count);
        done += count;
    }
    return true;
}

bool duv_memory_write(duv_memory *memory, uint64_t address, uint32_t bytes, const uint8_t *from,
                      uint64_t strobes) {
    duv_pages *pages = (duv_pages *)find_pages(memory, address, bytes);
    const bool is_device = (pages == NULL || memory->devices.exits_in_memory) &&
                           write_devices(&memory->devices, address, bytes, from, strobes);
    if (pages == NULL)
        return is_device;
    for (uint32_t i = 0; i < bytes; i++) {
        const uint64_t offset = address + i - pages->window.base;
        if (i < 64 && (strobes >> i & 1) == 0)
            continue;
        uint8_t *page = page_for_writing(memory, pages, offset >> PAGE_BITS);
        if (page == NULL)
            return false;
        page[offset % PAGE] = from[i];
    }
    return true;
}

void duv_memory_free(duv_memory *memory) {
    free_pages(&memory->ram);
    free_pages(&memory->uncached);
}

void duv_memory_clear(duv_memory *memory) {
    clear_pages(&memory->ram);
    clear_pages(&memory->uncached);
}

static col_status copy_pages(duv_memory *m, duv_pages *to, const duv_pages *from,
                             col_problem *problem) {
    clear_pages(to);
    for (size_t i = 0; i < from->touched_count; i++) {
        uint8_t *page = page_for_writing(m, to, from->touched[i]);
        if (page == NULL)
            return base_out_of_memory(problem);
        memcpy(page, from->pages[from->touched[i]], PAGE);
    }
    return COL_OK;
}

col_status duv_memory_copy(duv_memory *to, const duv_memory *from, col_problem *problem) {
    to->devices = from->devices;
    to->has_strange = from->has_strange;
    to->strange = from->strange;
    to->status = COL_OK;
    BASE_TRY(copy_pages(to, &to->ram, &from->ram, problem));
    return copy_pages(to, &to->uncached, &from->uncached, problem);
}

/* SPDX-License-Identifier: MIT */
/* No text makes the reader of platforms crash, what it says has a place in the text, and on what it
 * accepts a small program becomes an image or is refused. */
#include "design/isa/image.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char text[] =
        "collider program 1\nword 4\nlocation a0 0x40\nthread 0\n store a0 1\n"
        " load a0\nend\n";
    isa_platform platform;
    col_problem problem = {0};
    const col_status status =
        isa_platform_parse(&platform, (const char *)data, size, "fuzz.yaml", &problem);
    require_place(status, &problem, size);
    if (status != COL_OK)
        return 0;
    col_program program = COL_PROGRAM_EMPTY;
    isa_image image = ISA_IMAGE_EMPTY;
    isa_image_settings settings;
    isa_image_default(&settings);
    require(col_program_read(&program, text, sizeof text - 1, "test", NULL) == COL_OK);
    if (isa_image_build(&image, &program, &platform, &settings, NULL) == COL_OK)
        require(image.load >= platform.ram.base &&
                image.memory + 0x40 < platform.ram.base + platform.ram.size);
    isa_image_free(&image);
    col_program_free(&program);
    return 0;
}

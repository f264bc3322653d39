/* Checksums of TFRecords: CRC-32C, by the processor or in a table. */

#include "tf_records.h"

#include <string.h>

enum { LANE = 128 };

static uint32_t table[8][256];
static uint32_t behind_lane[4][256]; /* what a byte of a checksum becomes by LANE zeros after it */

static void fill_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
        table[0][byte] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int byte = 0; byte < 256; byte++)
            table[k][byte] = table[k - 1][byte] >> 8 ^ table[0][table[k - 1][byte] & 255];
}

static void fill_behind_lane(void) {
    for (int k = 0; k < 4; k++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t crc = byte << 8 * k;
            for (int i = 0; i < LANE; i++) crc = crc >> 8 ^ table[0][crc & 255];
            behind_lane[k][byte] = crc;
        }
}

uint32_t crc_by_table(const char *data, size_t size) {
    uint32_t crc = ~0u;
    for (; size >= 8; data += 8, size -= 8) {
        uint64_t next;
        memcpy(&next, data, 8);
        next ^= crc;
        crc = 0;
        for (int k = 0; k < 8; k++) crc ^= table[7 - k][next >> 8 * k & 255];
    }
    for (; size; data++, size--) crc = crc >> 8 ^ table[0][(crc ^ (uint8_t)*data) & 255];
    return ~crc;
}

#ifdef __x86_64__
#include <nmmintrin.h>

static uint64_t eight(const char *data) {
    uint64_t bytes;
    memcpy(&bytes, data, 8);
    return bytes;
}

static uint32_t lane_later(uint64_t crc) {
    return behind_lane[0][crc & 255] ^ behind_lane[1][crc >> 8 & 255] ^
           behind_lane[2][crc >> 16 & 255] ^ behind_lane[3][crc >> 24 & 255];
}

/* The instruction takes three times as long as until the next one may begin: so three lanes. */
__attribute__((target("sse4.2"))) uint32_t crc_by_hardware(const char *data, size_t size) {
    uint64_t crc = ~0u;
    for (; size >= 3 * LANE; data += 3 * LANE, size -= 3 * LANE) {
        uint64_t second = 0, third = 0;
        for (const char *at = data; at < data + LANE; at += 8) {
            crc = _mm_crc32_u64(crc, eight(at));
            second = _mm_crc32_u64(second, eight(at + LANE));
            third = _mm_crc32_u64(third, eight(at + 2 * LANE));
        }
        crc = lane_later(lane_later(crc) ^ second) ^ third;
    }
    for (; size >= 8; data += 8, size -= 8) crc = _mm_crc32_u64(crc, eight(data));
    uint32_t rest = (uint32_t)crc;
    for (; size; data++, size--) rest = _mm_crc32_u8(rest, (uint8_t)*data);
    return ~rest;
}

int has_hardware(void) { return __builtin_cpu_supports("sse4.2") != 0; }
#else
uint32_t crc_by_hardware(const char *data, size_t size) { return crc_by_table(data, size); }
int has_hardware(void) { return 0; }
#endif

static uint32_t (*crc_of)(const char *, size_t) = crc_by_table;

void prepare_checksums(void) {
    fill_table();
    fill_behind_lane();
    if (has_hardware()) crc_of = crc_by_hardware;
}

/* Whether `sum` are the bytes of a checksum of `size` others, masked as TFRecords have it. */
bool checked(const char *data, size_t size, const char *sum) {
    uint32_t said, crc = crc_of(data, size);
    memcpy(&said, sum, 4);
    return said == (crc >> 15 | crc << 17) + 0xa282ead8u;
}

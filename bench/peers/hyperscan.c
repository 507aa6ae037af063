/*
 * Hyperscan over the same items and the same rules: block mode, no start offsets, one thread, matches counted.
 *
 * hyperscan PATTERNS TEXT LENGTHS: PATTERNS holds id NUL pattern NUL again and again, TEXT all items one after the other,
 * LENGTHS their sizes as 32-bit little-endian numbers. It prints one JSON line when it is ready, and one for each line that
 * it reads. Rules that Hyperscan refuses are counted and named, never changed to fit.
 */
#include <hs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct file {
    char *bytes;
    size_t size;
};

static struct file read_file(const char *path) {
    struct file file = {NULL, 0};
    FILE *stream = fopen(path, "rb");
    if (stream == NULL || fseek(stream, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    file.size = (size_t)ftell(stream);
    rewind(stream);
    file.bytes = malloc(file.size + 1);
    if (file.bytes == NULL || fread(file.bytes, 1, file.size, stream) != file.size) {
        perror(path);
        exit(1);
    }
    file.bytes[file.size] = '\0';
    fclose(stream);
    return file;
}

static double milliseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Flags under which the pattern compiles alone, or -1: first over bytes, then as UTF-8. */
static int accepted_flags(const char *pattern) {
    const unsigned tries[] = {0, HS_FLAG_UTF8};
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        hs_database_t *database = NULL;
        hs_compile_error_t *fault = NULL;
        if (hs_compile(pattern, tries[i], HS_MODE_BLOCK, NULL, &database, &fault) == HS_SUCCESS) {
            hs_free_database(database);
            return (int)tries[i];
        }
        hs_free_compile_error(fault);
    }
    return -1;
}

static int count_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *context) {
    (void)id, (void)from, (void)to, (void)flags;
    ++*(unsigned long long *)context;
    return 0;
}

int main(int count, char **words) {
    if (count != 4) {
        fprintf(stderr, "usage: hyperscan PATTERNS TEXT LENGTHS\n");
        return 2;
    }
    struct file patterns = read_file(words[1]);
    struct file text = read_file(words[2]);
    struct file lengths = read_file(words[3]);
    size_t items = lengths.size / sizeof(uint32_t);

    const char **expressions = malloc(sizeof *expressions * (patterns.size + 1));
    unsigned *flags = malloc(sizeof *flags * (patterns.size + 1));
    unsigned *ids = malloc(sizeof *ids * (patterns.size + 1));
    unsigned used = 0, refused = 0;
    char *names = calloc(patterns.size + 1, 2);
    for (char *at = patterns.bytes; at < patterns.bytes + patterns.size;) {
        char *id = at, *pattern = id + strlen(id) + 1;
        at = pattern + strlen(pattern) + 1;
        int accepted = accepted_flags(pattern);
        if (accepted < 0) {
            sprintf(names + strlen(names), "%s\"%s\"", refused == 0 ? "" : ",", id);
            refused++;
            continue;
        }
        expressions[used] = pattern;
        flags[used] = (unsigned)accepted;
        ids[used] = used;
        used++;
    }

    hs_database_t *database = NULL;
    hs_compile_error_t *fault = NULL;
    double began = milliseconds(CLOCK_MONOTONIC);
    if (hs_compile_multi(expressions, flags, ids, used, HS_MODE_BLOCK, NULL, &database, &fault) != HS_SUCCESS) {
        fprintf(stderr, "the rules do not compile together: %s\n", fault->message);
        return 1;
    }
    hs_scratch_t *scratch = NULL;
    if (hs_alloc_scratch(database, &scratch) != HS_SUCCESS) {
        fprintf(stderr, "there is no memory to scan with\n");
        return 1;
    }
    printf("{\"version\":\"%s\",\"patterns\":%u,\"refused\":%u,\"refused_ids\":[%s],\"compile_ms\":%.0f}\n", hs_version(), used,
           refused, names, milliseconds(CLOCK_MONOTONIC) - began);
    fflush(stdout);

    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        unsigned long long found = 0;
        double wall = milliseconds(CLOCK_MONOTONIC), cpu = milliseconds(CLOCK_THREAD_CPUTIME_ID);
        const char *at = text.bytes;
        for (size_t item = 0; item < items; item++) {
            uint32_t size;
            memcpy(&size, lengths.bytes + item * sizeof size, sizeof size);
            if (hs_scan(database, at, size, 0, scratch, count_match, &found) != HS_SUCCESS) {
                fprintf(stderr, "an item was not scanned\n");
                return 1;
            }
            at += size;
        }
        printf("{\"wallMs\":%.3f,\"cpuMs\":%.3f,\"found\":%llu}\n", milliseconds(CLOCK_MONOTONIC) - wall,
               milliseconds(CLOCK_THREAD_CPUTIME_ID) - cpu, found);
        fflush(stdout);
    }
    return 0;
}

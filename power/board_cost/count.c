/* A QEMU user-mode plugin that counts what an aarch64 program executes between two marks.

   For each translated block it keeps the instruction words and how often the block ran; what the instructions are is
   worked out from the words by power/board_cost/decode.py. Every load and store goes through a simulated two-level
   data cache (an A55's first level, and the level that its cores share), with the lines that a hardware prefetcher
   would have brought counted apart: those that follow one of the last missed lines.

   A program marks a region by a system call of a number that Linux does not have (MARK): argument 1 begins, 0 ends.
   Without a mark the whole program is one region.

   Every thread of the program is a core with a first level of its own; they share the other level, and take turns
   after TURN lines that their first level lacked, so that they use it at the same time as cores do. All of them have
   to run on one processor of this computer (taskset), as the counters are not shared safely otherwise.

   Arguments: out=FILE l1=SIZE:WAYS ll=SIZE:WAYS cache=0|1 wait=0|1 (1: nothing counts before the first mark; QEMU then
   runs what is between regions without callbacks, several times as fast). One JSON line is appended to FILE for each
   region.

   The declarations are the part of QEMU's plugin interface (version 1, QEMU 6.0 to 8.2) that is used here, so that no
   header of QEMU is needed. */

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define MARK 31317
#define LINE_BITS 6
#define STREAMS 8
#define CORES 64 /* threads that can be told apart; further ones share a first level */
#define TURN 256

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;
void qemu_plugin_reset(qemu_plugin_id_t, void (*)(qemu_plugin_id_t));
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *, uint64_t);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *,
    void (*)(unsigned, uint32_t, uint64_t, void *), int registers, int read_or_write, void *);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, unsigned, int64_t, uint64_t,
    uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
unsigned qemu_plugin_mem_size_shift(uint32_t);
bool qemu_plugin_mem_is_store(uint32_t);

EXPORT int qemu_plugin_version = 1;

struct block {
    struct block *next;
    uint64_t executed, address;
    size_t words;
    uint32_t word[];
};

struct cache {
    uint64_t *line; /* sets x ways, each set's most recently used line first; 0 is empty */
    uint64_t sets;
    unsigned ways;
};

struct core {
    struct cache level1;
    uint64_t recent[STREAMS], previous_line;
    unsigned next_stream, missed;
};

static struct block *blocks;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;
static struct core cores[CORES];
static bool several;
static const char *level1_shape = "32768:4";
static struct cache last_level;
static bool simulate = true, marked, counting = true;
static const char *out = "counts.json";
static struct {
    uint64_t load_bytes, store_bytes, level1_stream, level1_random, level1_store, last_stream, last_random, last_store;
} seen;

static bool missed(struct cache *cache, uint64_t line)
{
    uint64_t *set = cache->line + (line % cache->sets) * cache->ways;
    unsigned at = 0;
    while (at < cache->ways && set[at] != line)
        at++;
    bool miss = at == cache->ways;
    if (miss)
        at = cache->ways - 1;
    memmove(set + 1, set, at * sizeof *set);
    set[0] = line;
    return miss;
}

static bool follows(struct core *core, uint64_t line)
{
    for (unsigned i = 0; i < STREAMS; i++)
        if (line - core->recent[i] + 2 <= 4) { /* within two lines, either way */
            core->recent[i] = line;
            return true;
        }
    core->recent[core->next_stream++ % STREAMS] = line;
    return false;
}

static void shape(struct cache *cache, const char *text)
{
    unsigned long size = strtoul(text, NULL, 10);
    const char *colon = strchr(text, ':');
    cache->ways = colon ? strtoul(colon + 1, NULL, 10) : 4;
    cache->sets = cache->ways ? (size >> LINE_BITS) / cache->ways : 0;
    if (!cache->sets) {
        fprintf(stderr, "count: a cache needs SIZE:WAYS, not %s\n", text);
        exit(2);
    }
    cache->line = calloc(cache->sets * cache->ways, sizeof *cache->line);
    if (!cache->line)
        abort();
}

static void accessed(unsigned cpu, uint32_t info, uint64_t address, void *unused)
{
    (void)unused;
    if (!counting)
        return;
    struct core *core = cores + cpu % CORES;
    several |= cpu > 0;
    if (!core->level1.line)
        shape(&core->level1, level1_shape);
    uint64_t size = 1u << qemu_plugin_mem_size_shift(info);
    if (qemu_plugin_mem_is_store(info))
        seen.store_bytes += size;
    else
        seen.load_bytes += size;
    uint64_t line = address >> LINE_BITS;
    if (line == core->previous_line)
        return;
    core->previous_line = line;
    if (!missed(&core->level1, line))
        return;
    bool stream = follows(core, line), memory = missed(&last_level, line);
    if (qemu_plugin_mem_is_store(info)) {
        seen.level1_store += 1;
        seen.last_store += memory;
    } else if (stream) {
        seen.level1_stream += 1;
        seen.last_stream += memory;
    } else {
        seen.level1_random += 1;
        seen.last_random += memory;
    }
    if (several && ++core->missed % TURN == 0)
        sched_yield();
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t words = qemu_plugin_tb_n_insns(tb);
    struct block *made = calloc(1, sizeof *made + words * sizeof *made->word);
    if (!made)
        abort();
    made->address = qemu_plugin_tb_vaddr(tb);
    made->words = words;
    for (size_t i = 0; i < words; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        memcpy(made->word + i, qemu_plugin_insn_data(insn), sizeof *made->word);
        if (simulate)
            qemu_plugin_register_vcpu_mem_cb(insn, accessed, 0, 3, NULL);
    }
    pthread_mutex_lock(&blocks_lock);
    made->next = blocks;
    blocks = made;
    pthread_mutex_unlock(&blocks_lock);
    qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, &made->executed, 1);
}

static void begin(void)
{
    for (struct block *each = blocks; each; each = each->next)
        each->executed = 0;
    memset(&seen, 0, sizeof seen);
    counting = true;
}

static void end(void)
{
    FILE *file = fopen(out, "a");
    if (!file) {
        fprintf(stderr, "count: %s can't be written\n", out);
        exit(1);
    }
    fprintf(file, "{\"load_bytes\":%" PRIu64 ",\"store_bytes\":%" PRIu64 ",\"level1_stream\":%" PRIu64
        ",\"level1_random\":%" PRIu64 ",\"level1_store\":%" PRIu64 ",\"last_stream\":%" PRIu64
        ",\"last_random\":%" PRIu64 ",\"last_store\":%" PRIu64 ",\"blocks\":[",
        seen.load_bytes, seen.store_bytes, seen.level1_stream, seen.level1_random, seen.level1_store,
        seen.last_stream, seen.last_random, seen.last_store);
    const char *comma = "";
    for (struct block *each = blocks; each; each = each->next)
        if (each->executed) {
            fprintf(file, "%s[%" PRIu64 ",%" PRIu64 ",\"", comma, each->address, each->executed);
            for (size_t i = 0; i < each->words; i++)
                fprintf(file, "%08" PRIx32, each->word[i]);
            fputs("\"]", file);
            comma = ",";
        }
    fputs("]}\n", file);
    fclose(file);
}

static void ended(qemu_plugin_id_t id, void *unused);
static void called(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t first, uint64_t b, uint64_t c,
    uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h);

/* After QEMU has dropped all translated code and callbacks: those that are needed until the next mark. */
static void listen(qemu_plugin_id_t id)
{
    if (counting)
        qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
}

static void called(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t first, uint64_t b, uint64_t c,
    uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
    (void)cpu, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    if (number != MARK)
        return;
    if (first) {
        begin();
    } else {
        end();
        counting = false;
    }
    marked = true;
    qemu_plugin_reset(id, listen);
}

static void ended(qemu_plugin_id_t id, void *unused)
{
    (void)id, (void)unused;
    if (!marked)
        end();
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *about, int count, char **arguments)
{
    (void)about;
    const char *last = "524288:16";
    for (int i = 0; i < count; i++) {
        if (!strncmp(arguments[i], "out=", 4))
            out = strdup(arguments[i] + 4);
        else if (!strncmp(arguments[i], "l1=", 3))
            level1_shape = strdup(arguments[i] + 3);
        else if (!strncmp(arguments[i], "ll=", 3))
            last = arguments[i] + 3;
        else if (!strcmp(arguments[i], "cache=0"))
            simulate = false;
        else if (!strcmp(arguments[i], "wait=1"))
            counting = false;
        else if (strcmp(arguments[i], "cache=1") && strcmp(arguments[i], "wait=0")) {
            fprintf(stderr, "count: unknown argument %s\n", arguments[i]);
            return -1;
        }
    }
    shape(&cores[0].level1, level1_shape);
    shape(&last_level, last);
    listen(id);
    return 0;
}

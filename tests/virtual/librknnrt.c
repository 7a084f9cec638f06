/* A stand-in for librknnrt.so: the calls that rknn-toolkit-lite2 makes, by rknn_api.h, for one network with an
 * input [1, 8, 8, 3] and an output [1, 4, 16] that is the beginning of its input, as the NPU was given it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 8, TOKENS = 4, WIDTH = 16 };
enum { MODEL_INVALID = -6, PARAM_INVALID = -5 };
enum { IN_OUT_NUM = 0, INPUT_ATTR = 1, OUTPUT_ATTR = 2, SDK_VERSION = 5 };
enum { NHWC = 1, UNDEFINED = 3, FLOAT16 = 1 };

typedef uint64_t rknn_context;
typedef struct {
    uint32_t index, n_dims, dims[16];
    char name[256];
    uint32_t n_elems, size;
    int fmt, type, qnt_type;
    int8_t fl;
    int32_t zp;
    float scale;
    uint32_t w_stride, size_with_stride;
    uint8_t pass_through;
    uint32_t h_stride;
} tensor_attr;
typedef struct { char api[256], driver[256]; } sdk_version;
typedef struct { uint32_t index; void *buf; uint32_t size; uint8_t pass_through; int type, fmt; } rknn_input;
typedef struct { uint8_t want_float, is_prealloc; uint32_t index; void *buf; uint32_t size; } rknn_output;

static void *given;

int rknn_init(rknn_context *context, void *model, uint32_t size, uint32_t flag, void *extend) {
    if (size < 4 || memcmp(model, "RKNN", 4)) return MODEL_INVALID;
    *context = 1;
    return 0;
}

int rknn_destroy(rknn_context context) { return 0; }

int rknn_query(rknn_context context, int what, void *info, uint32_t size) {
    if (what == IN_OUT_NUM) {
        ((uint32_t *)info)[0] = ((uint32_t *)info)[1] = 1;
        return 0;
    }
    if (what == SDK_VERSION) {
        strcpy(((sdk_version *)info)->api, "2.5.0 (429f97ae6b@2026-04-09T09:09:27)");
        strcpy(((sdk_version *)info)->driver, "0.9.8");
        return 0;
    }
    if (what != INPUT_ATTR && what != OUTPUT_ATTR) return PARAM_INVALID;
    tensor_attr *attr = info;
    uint32_t input[] = {1, SIDE, SIDE, 3}, output[] = {1, TOKENS, WIDTH};
    int is_input = what == INPUT_ATTR;
    memset(attr, 0, sizeof *attr);
    attr->n_dims = is_input ? 4 : 3;
    memcpy(attr->dims, is_input ? input : output, is_input ? sizeof input : sizeof output);
    attr->n_elems = is_input ? SIDE * SIDE * 3 : TOKENS * WIDTH;
    attr->fmt = is_input ? NHWC : UNDEFINED;
    attr->type = FLOAT16;
    attr->size = attr->size_with_stride = 2 * attr->n_elems;
    return 0;
}

int rknn_inputs_set(rknn_context context, uint32_t count, rknn_input *inputs) {
    given = realloc(given, inputs->size);
    memcpy(given, inputs->buf, inputs->size);
    return 0;
}

int rknn_run(rknn_context context, void *extend) { return 0; }

int rknn_outputs_get(rknn_context context, uint32_t count, rknn_output *outputs, void *extend) {
    uint32_t size = TOKENS * WIDTH * sizeof(float);
    if (!outputs->is_prealloc) outputs->buf = malloc(size);
    outputs->size = size;
    memcpy(outputs->buf, given, size);
    return 0;
}

int rknn_outputs_release(rknn_context context, uint32_t count, rknn_output *outputs) { return 0; }
#ifndef OLDER
int rknn_set_input_shapes(rknn_context context, uint32_t count, tensor_attr *attr) { return 0; }
#endif
int rknn_set_core_mask(rknn_context context, int mask) { return 0; }

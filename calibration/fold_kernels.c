/* Learners of `calibration.fold_worlds`, compiled: only items that a fit is tested on are answered.

   view (n, d), target (n), train and test (fits, n) of 0 and 1, said (fits, n). `fold_kernels.py`
   compiles and calls; tests hold every learner to its plain form. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef const uint8_t *Mask;

/* near (n, looked): the nearest items of every item, the nearest first, itself never. */
static double nearest_of(int n, int d, const double *view, const double *target, Mask train, int item,
                         int count)
{
    double far[16], said[16], sum = 0.0;
    int held = 0;
    for (int other = 0; other < n; other++) {
        if (!train[other] || other == item) continue;
        double square = 0.0;
        for (int k = 0; k < d; k++) {
            double step = view[other * d + k] - view[item * d + k];
            square += step * step;
        }
        if (held == count && square >= far[held - 1]) continue;
        int place = held < count ? held++ : held - 1;
        for (; place > 0 && far[place - 1] > square; place--) {
            far[place] = far[place - 1];
            said[place] = said[place - 1];
        }
        far[place] = square;
        said[place] = target[other];
    }
    for (int place = 0; place < held; place++) sum += said[place];
    return held ? sum / held : 0.0;
}

void nearest(int n, int d, int fits, const double *view, const double *target, Mask train, Mask test,
             const int32_t *near, int looked, int count, double *said)
{
    for (int fit = 0; fit < fits; fit++, train += n, test += n, said += n)
        for (int item = 0; item < n; item++) {
            if (!test[item]) continue;
            const int32_t *mine = near + (int64_t)item * looked;
            double sum = 0.0;
            int met = 0;
            for (int place = 0; place < looked && met < count; place++)
                if (train[mine[place]]) {
                    sum += target[mine[place]];
                    met++;
                }
            said[item] = met == count ? sum / count
                                      : nearest_of(n, d, view, target, train, item, count);
        }
}

/* order (d, n): items by every feature, the least first. */
void stump(int n, int d, int fits, const double *target, Mask train, Mask test, const int32_t *order,
           double *said)
{
    for (int fit = 0; fit < fits; fit++, train += n, test += n, said += n) {
        double total = 0.0, summed = 0.0;
        for (int item = 0; item < n; item++)
            if (train[item]) {
                total += 1.0;
                summed += target[item];
            }
        double best = -1.0, low = summed / total, high = low;
        int feature = -1, cut = n - 1;
        for (int k = 0; k < d; k++) {
            const int32_t *mine = order + (int64_t)k * n;
            double left = 0.0, sum = 0.0;
            for (int rank = 0; rank < n; rank++) {
                int item = mine[rank];
                if (!train[item]) continue;
                left += 1.0;
                sum += target[item];
                if (left == total) break;
                double rest = summed - sum, gain = sum * sum / left + rest * rest / (total - left);
                if (gain > best) {
                    best = gain;
                    feature = k;
                    cut = rank;
                    low = sum / left;
                    high = rest / (total - left);
                }
            }
        }
        const int32_t *mine = order + (int64_t)(feature < 0 ? 0 : feature) * n;
        for (int rank = 0; rank < n; rank++)
            if (test[mine[rank]]) said[mine[rank]] = rank <= cut ? low : high;
    }
}

typedef struct {
    int32_t feature, left, right, start, end;
    double threshold, value;
} Node;

typedef struct {
    int n, d;
    const float *points; /* (d, n) */
    const double *target;
    int32_t *sorted, *buffer; /* (d, n): the items of every node by every feature; (n) */
    uint8_t *goes;
    Node *nodes;
    uint64_t drawn;
} Grower;

static uint32_t draw(Grower *of, uint32_t below)
{
    of->drawn = of->drawn * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)((of->drawn >> 33) % below);
}

/* The best cut of a node: features in an order drawn by chance, which settles ties, as in scikit-learn. */
static int split(Grower *of, Node *node)
{
    int32_t features[64];
    double total = node->end - node->start, summed = 0.0, best = -1.0;
    for (int place = node->start; place < node->end; place++) summed += of->target[of->sorted[place]];
    for (int k = 0; k < of->d; k++) features[k] = k;
    node->feature = -1;
    for (int k = 0; k < of->d; k++) {
        int other = k + draw(of, of->d - k), feature = features[other];
        features[other] = features[k];
        const int32_t *mine = of->sorted + (int64_t)feature * of->n;
        const float *points = of->points + (int64_t)feature * of->n;
        double left = 0.0, sum = 0.0;
        for (int place = node->start; place + 1 < node->end; place++) {
            float here = points[mine[place]], next = points[mine[place + 1]];
            left += 1.0;
            sum += of->target[mine[place]];
            if (next <= here + 1e-7f) continue;
            double rest = summed - sum, gain = sum * sum / left + rest * rest / (total - left);
            if (gain > best) {
                best = gain;
                node->feature = feature;
                node->threshold = here / 2.0 + next / 2.0;
                if (node->threshold == (double)next) node->threshold = here;
            }
        }
    }
    return node->feature >= 0;
}

/* Part the items of a node, in the order of every feature; where the right side begins. */
static int part(Grower *of, const Node *node)
{
    const float *points = of->points + (int64_t)node->feature * of->n;
    int middle = node->start;
    for (int place = node->start; place < node->end; place++) {
        int item = of->sorted[place];
        of->goes[item] = (double)points[item] > node->threshold;
        middle += !of->goes[item];
    }
    for (int k = 0; k < of->d; k++) {
        int32_t *mine = of->sorted + (int64_t)k * of->n;
        int left = node->start, right = 0;
        for (int place = node->start; place < node->end; place++) {
            int item = mine[place], goes = of->goes[item];
            of->buffer[right] = item;
            mine[left] = item;
            right += goes;
            left += !goes;
        }
        memcpy(mine + left, of->buffer, right * sizeof(int32_t));
    }
    return middle;
}

/* Grown until every leaf is pure. */
static void grow(Grower *of, int trained)
{
    int made = 1;
    of->nodes[0] = (Node){-1, 0, 0, 0, trained, 0.0, 0.0};
    for (int at = 0; at < made; at++) {
        Node *node = of->nodes + at;
        double sum = 0.0, first = of->target[of->sorted[node->start]];
        int pure = 1;
        for (int place = node->start; place < node->end; place++) {
            double value = of->target[of->sorted[place]];
            sum += value;
            pure &= value == first;
        }
        node->value = sum / (node->end - node->start);
        if (pure || !split(of, node)) continue;
        int middle = part(of, node);
        node->left = made;
        node->right = made + 1;
        of->nodes[made++] = (Node){-1, 0, 0, node->start, middle, 0.0, 0.0};
        of->nodes[made++] = (Node){-1, 0, 0, middle, node->end, 0.0, 0.0};
    }
}

void tree(int n, int d, int fits, const float *points, const double *target, Mask train, Mask test,
          const int32_t *order, uint64_t seed, double *said)
{
    Grower of = {n, d, points, target, malloc(sizeof(int32_t) * d * n), malloc(sizeof(int32_t) * n),
                 malloc(n), malloc(sizeof(Node) * 2 * n), seed};
    for (int fit = 0; fit < fits; fit++, train += n, test += n, said += n) {
        int trained = 0;
        for (int k = 0; k < d; k++) {
            trained = 0;
            for (int rank = 0; rank < n; rank++)
                if (train[order[(int64_t)k * n + rank]])
                    of.sorted[(int64_t)k * n + trained++] = order[(int64_t)k * n + rank];
        }
        grow(&of, trained);
        for (int item = 0; item < n; item++) {
            if (!test[item]) continue;
            const Node *node = of.nodes;
            while (node->feature >= 0) {
                double value = points[(int64_t)node->feature * n + item];
                node = of.nodes + (value > node->threshold ? node->right : node->left);
            }
            said[item] = node->value;
        }
    }
    free(of.sorted);
    free(of.buffer);
    free(of.goes);
    free(of.nodes);
}

enum { UNITS = 6, INPUTS = 5 };

/* tanh to seven digits, as a quotient of polynomials. */
static inline float bent(float x)
{
    x = x > 7.9f ? 7.9f : x < -7.9f ? -7.9f : x;
    float s = x * x;
    float up = s * (s * (s * (s * (s * (s * -2.76076847742355e-16f + 2.00018790482477e-13f)
                                    + -8.60467152213735e-11f) + 5.12229709037114e-08f)
                         + 1.48572235717979e-05f) + 6.37261928875436e-04f) + 4.89352455891786e-03f;
    float down = s * (s * (s * 1.19825839466702e-06f + 1.18534705686654e-04f)
                      + 2.26843463243900e-03f) + 4.89352518554385e-03f;
    return x * up / down;
}

typedef struct {
    float mean, square;
} Moments;

static void step(float *number, Moments *of, float slope, float first, float second, float pace)
{
    of->mean += 0.1f * (slope - of->mean);
    of->square += 0.001f * (slope * slope - of->square);
    *number -= pace * (of->mean / first) / (sqrtf(of->square / second) + 1e-8f);
}

/* table (INPUTS, n), its last row ones; aim (fits, n), centred and scaled;
   inner (INPUTS, UNITS, fits) and outer (UNITS, fits) are where the fits begin. */
void net(int n, int fits, const float *table, const float *aim, Mask train, Mask test,
         const float *inner, const float *outer, int steps, float pace, double *said)
{
    float *x = malloc(sizeof(float) * n * (INPUTS + 2 + UNITS));
    float *want = x + INPUTS * n, *error = want + n, *hidden = error + n;
    for (int fit = 0; fit < fits; fit++, train += n, test += n, said += n, aim += n) {
        float in[INPUTS][UNITS], out[UNITS];
        Moments of_in[INPUTS][UNITS], of_out[UNITS];
        memset(of_in, 0, sizeof of_in);
        memset(of_out, 0, sizeof of_out);
        for (int u = 0; u < UNITS; u++) {
            out[u] = outer[u * fits + fit];
            for (int k = 0; k < INPUTS; k++) in[k][u] = inner[(k * UNITS + u) * fits + fit];
        }
        int m = 0;
        for (int item = 0; item < n; item++) {
            if (!train[item]) continue;
            for (int k = 0; k < INPUTS; k++) x[k * n + m] = table[k * n + item];
            want[m++] = aim[item];
        }
        for (int turn = 0; turn < steps; turn++) {
            float first = 1.0 - pow(0.9, turn + 1), second = 1.0 - pow(0.999, turn + 1);
            for (int i = 0; i < m; i++) error[i] = -want[i];
            for (int u = 0; u < UNITS; u++) {
                float *mine = hidden + u * n;
                for (int i = 0; i < m; i++) {
                    mine[i] = bent(in[0][u] * x[i] + in[1][u] * x[n + i] + in[2][u] * x[2 * n + i]
                                   + in[3][u] * x[3 * n + i] + in[4][u]);
                    error[i] += mine[i] * out[u];
                }
            }
            for (int u = 0; u < UNITS; u++) {
                const float *mine = hidden + u * n;
                float slope[INPUTS] = {0}, of_unit = 0.0f;
                for (int i = 0; i < m; i++) {
                    float back = error[i] * (1.0f - mine[i] * mine[i]);
                    of_unit += error[i] * mine[i];
                    slope[0] += back * x[i];
                    slope[1] += back * x[n + i];
                    slope[2] += back * x[2 * n + i];
                    slope[3] += back * x[3 * n + i];
                    slope[4] += back;
                }
                for (int k = 0; k < INPUTS; k++)
                    step(&in[k][u], &of_in[k][u], slope[k] * out[u] / m, first, second, pace);
                step(&out[u], &of_out[u], of_unit / m, first, second, pace);
            }
        }
        for (int item = 0; item < n; item++) {
            if (!test[item]) continue;
            float sum = 0.0f;
            for (int u = 0; u < UNITS; u++) {
                float into = 0.0f;
                for (int k = 0; k < INPUTS; k++) into += in[k][u] * table[k * n + item];
                sum += out[u] * bent(into);
            }
            said[item] = sum;
        }
    }
    free(x);
}

/* Areas under ROC curves and average precisions of ranked items, and both without each unit of them. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NEGATIVE, POSITIVE, ABSENT };

static void one_ranking(int64_t n, int64_t units, const int64_t *order, const uint8_t *kind, const int32_t *unit,
                        const double *weight, double *area, double *precision, double *room)
{
    /* Walks down the ranking; area and precision have units + 1 places, the last for all units together. */
    double *part = room, *inside = room + units, *found = room + 2 * units, *shown = room + 3 * units;
    double *positives = room + 4 * units, *negatives = room + 5 * units;
    double all_positive = 0.0, all_negative = 0.0, tp = 0.0, rank = 0.0, fp = 0.0, won = 0.0, whole = 0.0;
    memset(room, 0, 6 * units * sizeof(double));
    memset(precision, 0, units * sizeof(double));
    for (int64_t i = 0; i < n; i++) {
        if (kind[i] == POSITIVE) { all_positive += weight[i]; positives[unit[i]] += weight[i]; }
        if (kind[i] == NEGATIVE) { all_negative += weight[i]; negatives[unit[i]] += weight[i]; }
    }
    for (int64_t place = 0; place < n; place++) {
        int64_t i = order[place];
        int32_t own = unit[i];
        double w = weight[i];
        if (kind[i] == ABSENT) continue;
        rank += w;
        shown[own] += w;
        if (kind[i] == NEGATIVE) {
            fp += w;
            part[own] += w * tp;
            inside[own] += w * found[own];
            continue;
        }
        tp += w;
        found[own] += w;
        won += w * (all_negative - fp);
        part[own] += w * (all_negative - fp);
        whole += w * tp / rank;
        double kept = precision[own];
        for (int64_t g = 0; g < units; g++) precision[g] += w * (tp - found[g]) / (rank - shown[g]);
        precision[own] = kept;
    }
    for (int64_t g = 0; g < units; g++) {
        double p = all_positive - positives[g], q = all_negative - negatives[g];
        area[g] = p > 0.0 && q > 0.0 ? (won - part[g] + inside[g]) / (p * q) : -1.0;
        precision[g] = p > 0.0 ? precision[g] / p : -1.0;
    }
    area[units] = all_positive > 0.0 && all_negative > 0.0 ? won / (all_positive * all_negative) : -1.0;
    precision[units] = all_positive > 0.0 ? whole / all_positive : -1.0;
}

void ranked(int64_t sets, int64_t models, int64_t n, int64_t units, const int64_t *order, const uint8_t *kind,
            const int32_t *unit, const double *weight, double *area, double *precision)
{
    /* -1 stands for what is undefined. */
    double *room = malloc(6 * units * sizeof(double));
    for (int64_t row = 0; row < sets * models; row++) {
        int64_t set = row / models;
        one_ranking(n, units, order + row * n, kind + set * n, unit, weight + set * n, area + row * (units + 1),
                    precision + row * (units + 1), room);
    }
    free(room);
}

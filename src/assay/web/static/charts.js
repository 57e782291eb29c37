// Figures that respond. They draw what the server decided; names are text, never markup.
"use strict";

(() => {
  const INKS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
  const LAMPS = ["#4aa8e8", "#ff8a3d", "#2fc796", "#e39ac4", "#f2b53a", "#9ad4f7"]; // the same on a dark page
  let COLORS = INKS;
  const LINES = ["solid", "dashed", "dotted"];
  const lights = ["(prefers-color-scheme: dark)", "print"].map((one) => matchMedia(one)); // paper is white
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const words = () => ({ better: color("better"), worse: color("worse"), higher: color("better"), lower: color("worse"), equivalent: color("equivalent"), undecided: color("undecided"), "": color("accent") });
  const signs = { better: "▲", worse: "▼", higher: "↑", lower: "↓", equivalent: "=", undecided: "?" };
  // Numbers at ticks as the tables write them, all with the decimals of the step between them.
  const ticks = (low, high, parts) => (value) => numbers.tick(value, (10 / 7) * (high - low) / parts, Math.max(Math.abs(low), Math.abs(high)));
  const short = (text, most = 26) => (text.length > most ? `${text.slice(0, most / 2 - 1)}…${text.slice(1 - most / 2)}` : text);
  // Names shortened so that they stay different: those that begin and end alike keep what differs.
  const fitted = (names, most) => {
    const cut = names.map((name) => short(name, most));
    return names.map((name, at) => {
      const alike = [...new Set(names.filter((_, other) => cut[other] === cut[at]))];
      if (alike.length === 1) return cut[at];
      const least = Math.min(...alike.map((other) => other.length)), same = (place) => new Set(alike.map((other) => other.at(place))).size === 1;
      let start = 0, end = 0;
      while (start < least && same(start)) start += 1;
      while (end < least - start && same(-1 - end)) end += 1;
      const core = name.slice(start, name.length - end), room = most - core.length - 2, near = Math.max(1, Math.ceil(0.4 * room));
      if (room < 2) return core.length > most ? short(core, most) : `…${core}`;
      const before = start > 2 * near ? `${name.slice(0, near)}…${name.slice(start - near, start)}` : name.slice(0, start), left = Math.max(0, room - 2 * near);
      return `${before}${core}${end > left ? `${name.slice(name.length - end, name.length - end + left)}…` : name.slice(name.length - end)}`;
    });
  };
  const number = (value) => numbers.significant(value);
  const narrow = (place) => place.clientWidth < 520;
  // Of many curves the chosen one stands out and no legend helps; the others are named where one points at them.
  const MOST_COLOURED = 6;
  const strokes = (count, index, chosen) => {
    if (count <= MOST_COLOURED) return { lineStyle: { width: 2.2, type: LINES[index % 3] }, itemStyle: { color: COLORS[index % COLORS.length] }, z: 3 };
    return index === chosen
      ? { lineStyle: { width: 3, type: "solid", opacity: 1 }, itemStyle: { color: COLORS[0] }, z: 5 }
      : { lineStyle: { width: 1, type: "solid", opacity: 0.45 }, itemStyle: { color: color("undecided") }, z: 2 };
  };
  const keyed = (names, chosen) => (names.length <= MOST_COLOURED ? legend(names) : { ...legend([names[chosen]]), selectedMode: false });

  // room for names beside the axis
  const labels = (names) => 16 + 7.4 * Math.max(...names.flatMap((name) => name.split("\n")).map((line) => line.length));

  // a row of a model, or of two: on one line where there is room, else the second below the first
  const rowNames = (rows, most) => {
    const models = [...new Set(rows.flatMap((row) => row.pair || [row.label]))], told = fitted(models, most), of = (name) => told[models.indexOf(name)];
    return rows.map((row) => {
      if (!row.pair) return of(row.label);
      const one = `${row.pair[0]} − ${row.pair[1]}`;
      return one.length <= most ? one : `${of(row.pair[0])}\n− ${of(row.pair[1])}`;
    });
  };

  const base = () => ({
    animation: !matchMedia("(prefers-reduced-motion: reduce)").matches,
    animationDuration: 250,
    textStyle: { fontFamily: "system-ui, sans-serif", color: color("ink"), fontSize: 13 },
    tooltip: { renderMode: "richText", confine: true, backgroundColor: color("paper"), borderColor: color("rule"), textStyle: { color: color("ink"), fontSize: 13 } },
    aria: { enabled: false },
  });
  const axis = (more) => ({
    axisLine: { lineStyle: { color: color("edge") } },
    axisLabel: { color: color("ink"), hideOverlap: true, ...(more.type === "category" ? {} : { formatter: (value) => (more.min === 0 && more.max === 1 ? numbers.tick(value, 0.1, 1) : numbers.given(value)) }) },
    splitLine: { lineStyle: { color: color("rule"), opacity: 0.6 } }, nameTextStyle: { color: color("faint") },
    nameLocation: "middle", nameGap: 30, ...more,
  });
  const legend = (names) => ({ type: "scroll", top: 0, left: 0, textStyle: { color: color("ink") }, inactiveColor: color("edge"), pageTextStyle: { color: color("ink") }, pageIconColor: color("accent"), formatter: (name) => fitted(names, 26)[names.indexOf(name)], data: names });

  const builders = {
    forest(place, data) {
      const rows = [...data.rows].reverse();
      const hues = words(), names = rowNames(rows, narrow(place) ? 18 : 34);
      place.style.height = `${Math.max(9, 4.6 + (names.some((name) => name.includes("\n")) ? 2.4 : 1.9) * rows.length)}rem`;
      const ends = rows.flatMap((row) => [row.value, row.low, row.high]).filter((end) => end !== null);
      if (data.null !== null) ends.push(data.null);
      if (data.margin) ends.push(data.null - data.margin, data.null + data.margin);
      const least = Math.min(...ends), most = Math.max(...ends), room = 0.06 * (most - least || 1), parts = narrow(place) ? 3 : 6;
      const marks = data.null === null ? {} : {
        markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: color("ink"), type: "solid", width: 1 }, data: [{ xAxis: data.null }] },
        markArea: data.margin ? { silent: true, itemStyle: { color: color("equivalent"), opacity: 0.14 }, data: [[{ xAxis: data.null - data.margin }, { xAxis: data.null + data.margin }]] } : undefined,
      };
      return {
        ...base(),
        grid: { left: labels(names), right: 24, top: 12, bottom: 46 },
        xAxis: axis({ type: "value", name: data.axis, min: least - room, max: most + room, axisLabel: { color: color("ink"), hideOverlap: true, showMinLabel: false, showMaxLabel: false, formatter: ticks(least - room, most + room, parts) }, splitLine: { showMinLine: false, showMaxLine: false, lineStyle: { color: color("rule"), opacity: 0.6 } }, splitNumber: parts }),
        yAxis: axis({ type: "category", data: names, axisLabel: { color: color("ink"), interval: 0 }, axisTick: { show: false }, splitLine: { show: false } }),
        tooltip: { ...base().tooltip, formatter: (at) => { const row = rows[at.dataIndex]; return `${row.label}\n${row.text}${row.p ? `\np = ${row.p}` : ""}${row.word ? `\n${row.word}` : ""}`; } },
        series: [
          {
            type: "custom", silent: true, z: 3, data: rows.map((row, at) => [row.low, row.high, at]),
            renderItem: (_, api) => {
              const row = rows[api.value(2)];
              if (row.low === null && row.high === null) return null;
              const [x0, y] = api.coord([row.low === null ? least - room : row.low, row.value === null ? 0 : api.value(2)]);
              const [x1] = api.coord([row.high === null ? most + room : row.high, api.value(2)]);
              const style = { stroke: hues[row.word], lineWidth: 2.5, lineCap: "round" };
              return { type: "group", children: [
                { type: "line", shape: { x1: x0, y1: y, x2: x1, y2: y }, style },
                { type: "line", shape: { x1: x0, y1: y - 5, x2: x0, y2: y + 5 }, style },
                { type: "line", shape: { x1, y1: y - 5, x2: x1, y2: y + 5 }, style },
              ] };
            },
            encode: { x: [0, 1], y: 2 },
          },
          { type: "scatter", symbolSize: 11, z: 4, data: rows.map((row, at) => ({ value: [row.value, at], itemStyle: { color: hues[row.word], opacity: 1 } })), ...marks },
        ],
      };
    },

    matrix(place, data) {
      const names = fitted(data.models, narrow(place) ? 12 : 24), heads = fitted(data.models, 14), hues = words();
      place.style.height = `${Math.max(16, 9 + 2.2 * names.length)}rem`;
      const most = Math.max(...data.cells.map((cell) => Math.abs(cell[2])));
      const inCell = (sign, text, w, h) => (w > 7.4 * (text.length + 2) ? `${sign} ${text}` : w > 7.4 * text.length && h > 32 ? `${sign}\n${text}` : names.length > 12 && sign === signs.undecided ? "" : sign);
      return {
        ...base(),
        grid: { left: labels(names), right: 12, top: names.length > 5 || narrow(place) ? 84 : 34, bottom: 8 },
        xAxis: axis({ type: "category", position: "top", data: heads, axisLabel: { color: color("ink"), rotate: names.length > 5 || narrow(place) ? 40 : 0, interval: 0 }, axisTick: { show: false } }),
        yAxis: axis({ type: "category", inverse: true, data: names, axisLabel: { color: color("ink"), interval: 0 }, axisTick: { show: false } }),
        tooltip: { ...base().tooltip, formatter: (at) => `${data.cells[at.dataIndex][4]}\nrow against column: ${data.cells[at.dataIndex][3]}` },
        series: [{
          type: "custom", data: data.cells.map((cell) => [cell[0], cell[1], cell[2]]),
          renderItem: (params, api) => {
            const cell = data.cells[params.dataIndex];
            const [x, y] = api.coord([cell[0], cell[1]]), [w, h] = api.size([1, 1]);
            const faint = 0.12 + 0.5 * Math.abs(cell[2]) / (most || 1);
            return { type: "group", children: [
              { type: "rect", shape: { x: x - w / 2 + 1, y: y - h / 2 + 1, width: w - 2, height: h - 2, r: 4 }, style: { fill: hues[cell[3]], opacity: cell[3] === "undecided" ? 0.08 : faint } },
              { type: "text", style: { x, y, text: inCell(signs[cell[3]], cell[5], w, h), align: "center", verticalAlign: "middle", fill: color("ink"), fontSize: 12 } },
            ] };
          },
        }],
      };
    },

    // The critical-difference diagram: point at a model, and those not significantly different from it stay.
    ranks(place, data) {
      const names = data.models, ranks = data.ranks, count = names.length;
      const left = narrow(place) ? count : Math.ceil(count / 2); // on a phone all names stand on one side of the axis
      place.style.height = `${Math.max(11, 7 + 1.7 * left + 0.7 * data.bars.length)}rem`;
      let chosen = -1;
      const draw = (chart) => {
        const size = narrow(place) ? 11 : 13, told = fitted(names, narrow(place) ? 14 : 24), said = told.map((name, index) => `${name}  ${data.texts[index]}${data.letters.length ? ` ${data.letters[index]}` : ""}`);
        const width = place.clientWidth, side = Math.min(0.42 * width, 16 + 0.6 * size * Math.max(...said.map((text) => text.length))), other = left < count ? side : 14, top = 46;
        const lowest = 1, highest = Math.max(count, 2);
        const at = (rank) => side + ((rank - lowest) / (highest - lowest)) * (width - side - other);
        const parts = [{ type: "line", shape: { x1: at(lowest), y1: top, x2: at(highest), y2: top }, style: { stroke: color("ink"), lineWidth: 1.5 } }];
        for (let tick = lowest; tick <= highest; tick += Math.ceil(highest / 12)) {
          parts.push({ type: "line", shape: { x1: at(tick), y1: top - 6, x2: at(tick), y2: top }, style: { stroke: color("ink") } });
          parts.push({ type: "text", style: { text: String(tick), x: at(tick), y: top - 10, align: "center", verticalAlign: "bottom", fill: color("ink"), fontSize: 12 } });
        }
        parts.push({ type: "text", style: { text: "mean rank, best left", x: side, y: 4, fill: color("faint"), fontSize: 12 } });
        const under = top + 14 + 10 * data.bars.length;
        data.bars.forEach(([first, last], level) => {
          const y = top + 12 + 10 * level, on = chosen < 0 || (first <= chosen && chosen <= last);
          parts.push({ type: "line", shape: { x1: at(ranks[first]) - 4, y1: y, x2: at(ranks[last]) + 4, y2: y }, style: { stroke: color("ink"), lineWidth: 5, lineCap: "round", opacity: on ? 1 : 0.15 } });
        });
        names.forEach((name, index) => {
          const onLeft = index < left, row = onLeft ? index : count - 1 - index;
          const y = under + 14 + 26 * row, x = at(ranks[index]), end = onLeft ? side - 6 : width - other + 6;
          const on = chosen < 0 || chosen === index || data.alike[chosen].includes(index);
          const hue = chosen === index ? color("accent") : color("ink"), opacity = on ? 1 : 0.2;
          const tell = { silent: false, cursor: "pointer", onmouseover: () => choose(chart, index), onmouseout: () => choose(chart, -1), onclick: () => choose(chart, chosen === index ? -1 : index) };
          parts.push({ type: "polyline", shape: { points: [[x, top], [x, y], [end, y]] }, style: { stroke: hue, fill: "none", lineWidth: chosen === index ? 2.5 : 1.2, opacity }, ...tell });
          parts.push({ type: "text", style: { text: said[index], x: onLeft ? end - 4 : end + 4, y, align: onLeft ? "right" : "left", verticalAlign: "middle", fill: hue, fontFamily: "system-ui, sans-serif", fontSize: size, fontWeight: chosen === index ? "bold" : "normal", opacity }, ...tell });
        });
        return parts;
      };
      const choose = (chart, index) => {
        if (index === chosen) return;
        chosen = index;
        chart.setOption({ graphic: draw(chart) }, { replaceMerge: ["graphic"] });
      };
      place.after_init = (chart) => {
        chart.setOption({ graphic: draw(chart) }, { replaceMerge: ["graphic"] });
        const note = document.createElement("p");
        note.className = "quiet";
        note.textContent = data.control
          ? `Point at a model: those not significantly different from it stay (${data.test}; against ${data.control}).`
          : `Point at a model: those not significantly different from it stay (${data.test}). Arrow keys do the same.${data.letters.length ? " Models that share a letter do not differ significantly." : ""}`;
        if (!place.nextElementSibling || !place.nextElementSibling.classList.contains("said")) {
          note.classList.add("said");
          note.setAttribute("role", "status");
          place.after(note);
        }
        place.tabIndex = 0;
        place.addEventListener("keydown", (event) => {
          const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
          if (!step) return;
          event.preventDefault();
          choose(chart, (chosen + step + count) % count);
          const alike = data.alike[chosen].map((other) => names[other]).join(", ") || "nobody";
          place.parentElement.querySelector(".said").textContent = `${names[chosen]}, mean rank ${data.texts[chosen]}: not significantly different from ${alike}.`;
        });
        place.addEventListener("blur", () => choose(chart, -1));
      };
      return { ...base(), graphic: [] };
    },

    roc(place, data) {
      const band = [];
      data.curves.forEach((curve, index) => {
        const of = curve.columns, hue = COLORS[index % COLORS.length];
        if (!of.low || data.curves.length > 1) return; // overlapping bands say nothing of differences
        const path = of.fpr.map((x, at) => [x, of.low[at], of.high[at]]);
        band.push({
          type: "custom", name: curve.model, silent: true, z: 1, itemStyle: { color: hue }, data: [[0, 0]],
          renderItem: (_, api) => ({ type: "polygon", silent: true, shape: { points: [...path.map(([x, , high]) => api.coord([x, high])), ...path.slice().reverse().map(([x, low]) => api.coord([x, low]))] }, style: { fill: hue, opacity: 0.09 } }),
        });
      });
      place.move = (chart, point, model) => {
        const index = Math.max(data.curves.findIndex((curve) => curve.model === model), 0), lines = data.curves.map((_, at) => ({ id: `curve${at}`, ...strokes(data.curves.length, at, index) }));
        chart.setOption({ legend: keyed(data.curves.map((curve) => curve.model), index), series: [...lines, { id: "point", data: [[point.fpr, point.tpr]], itemStyle: { color: color("paper"), borderColor: lines[index].itemStyle.color, borderWidth: 4 } }] });
      };
      const chosen = Math.max(data.curves.findIndex((curve) => curve.model === data.model), 0);
      return {
        ...base(), legend: keyed(data.curves.map((curve) => curve.model), chosen),
        grid: { left: 56, right: 16, top: 44, bottom: 46 },
        tooltip: { ...base().tooltip, trigger: "item", formatter: (at) => `${at.seriesName}\nfalse positive rate ${number(at.value[0])}\ntrue positive rate ${number(at.value[1])}` },
        xAxis: axis({ type: "value", min: 0, max: 1, name: "false positive rate" }),
        yAxis: axis({ type: "value", min: 0, max: 1, name: "true positive rate", nameGap: 38 }),
        series: [
          ...band,
          { type: "line", silent: true, symbol: "none", data: [[0, 0], [1, 1]], lineStyle: { color: color("edge"), type: "dotted" }, tooltip: { show: false } },
          ...data.curves.map((curve, index) => ({ type: "line", id: `curve${index}`, name: curve.model, symbol: "circle", symbolSize: 3, showSymbol: false, triggerLineEvent: true, data: curve.columns.fpr.map((x, at) => [x, curve.columns.tpr[at]]), ...strokes(data.curves.length, index, chosen) })),
          { type: "scatter", id: "point", name: "threshold", z: 6, symbolSize: 15, data: data.point ? [[data.point.fpr, data.point.tpr]] : [], itemStyle: { color: color("paper"), borderColor: strokes(data.curves.length, chosen, chosen).itemStyle.color, borderWidth: 4 } },
        ],
      };
    },

    precision: (place, data) => ({
      ...base(), legend: keyed(data.map((curve) => curve.model), 0),
      grid: { left: 56, right: 16, top: 44, bottom: 46 },
      tooltip: { ...base().tooltip, trigger: "item", formatter: (at) => `${at.seriesName}\nrecall ${number(at.value[0])}\nprecision ${number(at.value[1])}` },
      xAxis: axis({ type: "value", min: 0, max: 1, name: "recall" }),
      yAxis: axis({ type: "value", min: 0, max: 1, name: "precision", nameGap: 38 }),
      // steps: between two thresholds no precision in between is reached
      series: data.map((curve, index) => ({ type: "line", name: curve.model, symbol: "circle", showSymbol: false, step: "start", data: [[0, curve.columns.precision[0]], ...curve.columns.recall.map((x, at) => [x, curve.columns.precision[at]])], ...strokes(data.length, index, 0) })),
    }),

    // One panel for each model: the points and intervals of several would hide one another.
    calibration(place, data) {
      const shown = data.slice(0, narrow(place) ? 6 : 12), across = narrow(place) ? 1 : Math.min(shown.length, 3), left = 56, gap = 44, head = 30, foot = 52;
      const width = (place.clientWidth - left - gap * across) / across, height = Math.min(width, shown.length > 1 ? 260 : 330);
      place.style.height = `${Math.ceil(shown.length / across) * (head + height + foot)}px`;
      const at = (index) => ({ left: left + (index % across) * (width + gap), top: head + Math.floor(index / across) * (head + height + foot) });
      const items = (curve) => (curve.columns.count ? `, n = ${curve.columns.count.reduce((all, one) => all + one, 0).toLocaleString("en-US")}` : "");
      const sides = (index, more) => axis({ type: "value", gridIndex: index, min: 0, max: 1, interval: width < 200 ? 0.5 : 0.2, ...more });
      return {
        ...base(),
        title: shown.map((curve, index) => ({ text: `${short(curve.model, Math.max(12, Math.floor(width / 8) - items(curve).length))}${items(curve)}`, left: at(index).left, top: at(index).top - head, padding: [6, 0], textStyle: { fontSize: 13, fontWeight: 600, color: color("ink") } })),
        grid: shown.map((_, index) => ({ ...at(index), width, height })),
        tooltip: { ...base().tooltip, trigger: "item", formatter: (point) => { const of = data.find((curve) => curve.model === point.seriesName).columns, bin = point.dataIndex; return `${point.seriesName}\npredicted ${number(of.predicted[bin])}\nobserved ${number(of.observed[bin])}${of.observed_low ? ` [${number(of.observed_low[bin])}, ${number(of.observed_high[bin])}]` : ""}\n${of.count[bin]} items`; } },
        xAxis: shown.map((_, index) => sides(index, { name: index + across >= shown.length ? "predicted probability" : "" })),
        yAxis: shown.map((_, index) => sides(index, { name: index % across ? "" : "observed share", nameGap: 38 })),
        series: shown.flatMap((curve, index) => {
          const of = curve.columns, where = { xAxisIndex: index, yAxisIndex: index };
          return [
            { type: "line", silent: true, symbol: "none", data: [[0, 0], [1, 1]], lineStyle: { color: color("edge"), type: "dotted" }, ...where },
            {
              type: "custom", silent: true, z: 2, data: of.observed_low ? of.predicted.map((x, bin) => [x, of.observed_low[bin], of.observed_high[bin]]) : [], ...where,
              renderItem: (_, api) => { const [x, low] = api.coord([api.value(0), api.value(1)]), [, high] = api.coord([api.value(0), api.value(2)]); return { type: "line", shape: { x1: x, y1: low, x2: x, y2: high }, style: { stroke: COLORS[0], lineWidth: 1.4 } }; },
            },
            { type: "line", name: curve.model, symbol: "circle", symbolSize: 7, z: 3, data: of.predicted.map((x, bin) => [x, of.observed[bin]]), lineStyle: { width: 1.6 }, itemStyle: { color: COLORS[0] }, ...where },
          ];
        }),
      };
    },

    points(place, data) {
      const rows = data.rows, names = fitted(rows.map((row) => row.model), narrow(place) ? 14 : 28);
      place.style.height = `${Math.max(12, 6 + 3 * rows.length)}rem`;
      return {
        ...base(), grid: { left: labels(names), right: 20, top: 12, bottom: 46 },
        tooltip: { ...base().tooltip, formatter: (at) => `${data.names[at.data[2]]}\n${rows[at.data[1] < 0 ? 0 : Math.round(at.data[1])].model} − ${data.baseline}: ${number(at.data[0])}` },
        xAxis: axis({ type: "value", scale: true, name: `difference in ${data.measure}` }),
        yAxis: axis({ type: "category", inverse: true, data: names, axisLabel: { color: color("ink") }, splitLine: { show: false } }),
        series: rows.map((row, index) => ({
          type: "scatter", symbolSize: 10, itemStyle: { color: COLORS[0], opacity: 0.6 },
          data: row.values.map((value, at) => [value, index, at]).filter((point) => point[0] !== null), encode: { x: 0, y: 1 },
          ...(index ? {} : { markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: color("ink"), type: "solid" }, data: [{ xAxis: 0 }] } }),
        })),
      };
    },

    agreement: (place, data) => ({
      ...base(), grid: { left: 4, right: 4, top: narrow(place) ? 56 : 26, bottom: 8, containLabel: false },
      legend: { top: 0, left: 0, textStyle: { color: color("ink") }, formatter: (name) => short(name, 30) },
      tooltip: { ...base().tooltip, formatter: (at) => `${at.seriesName}: ${number(at.value)} items` },
      xAxis: { type: "value", show: false, max: "dataMax" }, yAxis: { type: "category", data: [""], show: false },
      series: [["both right", 0, color("edge"), 0.35], [`only ${data.model}`, 1, COLORS[0], 1], [`only ${data.baseline}`, 2, COLORS[1], 1], ["both wrong", 3, color("edge"), 0.7]].map(([name, at, hue, opacity]) => ({ type: "bar", stack: "all", name, barWidth: 34, data: [data.table[at]], itemStyle: { color: hue, opacity, borderColor: color("paper"), borderWidth: 1 } })),
    }),

    histogram: (place, data) => ({
      ...base(), grid: { left: 66, right: 16, top: 12, bottom: 46 },
      tooltip: { ...base().tooltip, formatter: (at) => `${number(data.edges[at.dataIndex])} to ${number(data.edges[at.dataIndex + 1])}\n${at.value} items` },
      xAxis: axis({ type: "category", data: data.counts.map((_, at) => number((data.edges[at] + data.edges[at + 1]) / 2)), name: "difference" }),
      yAxis: axis({ type: "value", name: "items", nameGap: 44 }),
      series: [{ type: "bar", barCategoryGap: "6%", data: data.counts, itemStyle: { color: COLORS[0] } }],
    }),

    learning(place, data) {
      const setting = data.kind === "learning" ? "size" : "level";
      const found = [...new Set(data.curves.flatMap((curve) => curve.columns[setting]))].sort((a, b) => a - b);
      const wide = data.kind === "learning" && found[found.length - 1] / found[0] >= 3;
      const scale = wide ? Math.log : Number, back = wide ? Math.exp : Number; // sizes on a log axis, with ticks where something was measured
      const least = scale(found[0]), span = scale(found[found.length - 1]) - least || 1;
      const ticks = found.length > 14 ? {} : { axisTick: { customValues: found.map(scale) }, splitLine: { show: false } };
      const shown = { color: color("ink"), hideOverlap: true, showMinLabel: found.length <= 14, showMaxLabel: found.length <= 14, formatter: (value) => number(back(value)), ...(found.length > 14 ? {} : { customValues: found.map(scale) }) };
      return {
        ...base(), legend: legend(data.curves.map((curve) => curve.model)),
        grid: { left: 66, right: 20, top: 44, bottom: 46 },
        tooltip: { ...base().tooltip, trigger: "item", formatter: (at) => `${at.seriesName}\n${setting} ${number(at.value[2])}\n${data.measure} ${number(at.value[1])}` },
        xAxis: axis({ type: "value", name: data.kind === "learning" ? "training items" : "noise", min: least - 0.06 * span, max: least + 1.06 * span, ...ticks, axisLabel: shown }),
        yAxis: axis({ type: "value", scale: true, name: data.measure, nameGap: 48 }),
        series: data.curves.flatMap((curve, index) => {
          const of = curve.columns, hue = COLORS[index % COLORS.length], aside = 0.012 * span * (index - (data.curves.length - 1) / 2);
          const at = of[setting].map((x) => scale(x) + aside);
          const rows = at.map((x, point) => [x, of.low[point], of.high[point]]).filter((row) => row[1] !== null && row[2] !== null);
          return [
            { // intervals side by side, never areas over one another
              type: "custom", name: curve.model, silent: true, z: 2, itemStyle: { color: hue }, data: data.curves.length > 5 ? [] : rows, encode: { x: 0, y: [1, 2] },
              renderItem: (_, api) => {
                const [x, y1] = api.coord([api.value(0), api.value(1)]), [, y2] = api.coord([api.value(0), api.value(2)]);
                return { type: "line", shape: { x1: x, y1, x2: x, y2 }, style: { stroke: hue, lineWidth: 1.6 } };
              },
            },
            { type: "line", name: curve.model, symbol: ["circle", "rect", "triangle", "diamond"][index % 4], symbolSize: 8, z: 3, data: at.map((x, point) => [x, of.mean[point], of[setting][point]]), lineStyle: { width: 2.2, type: LINES[index % 3] }, itemStyle: { color: hue } },
          ];
        }),
      };
    },

    power: (place, data) => ({
      ...base(), grid: { left: 56, right: 24, top: 14, bottom: 46 },
      tooltip: { ...base().tooltip, trigger: "axis", formatter: (at) => `${numbers.given(Math.round(at[0].value[0]))} ${data.unit}\npower ${at[0].value[1].toFixed(3)}` },
      xAxis: axis({ type: "value", scale: true, name: data.unit }),
      yAxis: axis({ type: "value", min: 0, max: 1, name: "power", nameGap: 38 }),
      series: [
        { type: "line", showSymbol: false, smooth: false, data: data.curve.n.map((n, at) => [n, data.curve.power[at]]), lineStyle: { width: 2.6 }, itemStyle: { color: COLORS[0] }, markLine: { silent: true, symbol: "none", lineStyle: { color: color("edge"), type: "dashed" }, label: { color: color("faint"), formatter: "80%", position: "insideStartTop" }, data: [{ yAxis: 0.8 }] } },
        { type: "scatter", symbolSize: 14, z: 5, data: data.power === null ? [] : [[data.n, data.power]], itemStyle: { color: color("paper"), borderColor: COLORS[1], borderWidth: 4 } },
      ],
    }),

    rates: (place, data) => ({
      ...base(), legend: legend(data.rows.map((row) => row.name)),
      grid: { left: 66, right: 24, top: 44, bottom: 46 },
      tooltip: { ...base().tooltip, trigger: "item", formatter: (at) => { const row = data.rows[at.seriesIndex]; return `${row.name}\n${data.axis} ${number(row.x[at.dataIndex])}\n${(100 * row.y[at.dataIndex]).toFixed(1)}%`; } },
      xAxis: axis({ type: data.log ? "log" : "value", scale: true, name: data.axis, ...(data.log ? { min: "dataMin", max: "dataMax" } : {}) }),
      yAxis: axis({ type: "value", scale: !data.zero, min: data.zero ? 0 : undefined, max: data.top, name: data.label, nameGap: 48 }),
      series: data.rows.map((row, index) => ({
        type: "line", name: row.name, symbolSize: 8, data: row.x.map((x, at) => [x, row.y[at]]), lineStyle: { width: 2.2, type: LINES[index % 3] }, itemStyle: { color: COLORS[index % COLORS.length] },
        ...(index || data.nominal === null ? {} : { markLine: { silent: true, symbol: "none", lineStyle: { color: color("ink"), type: "dashed" }, label: { show: false }, data: [{ yAxis: data.nominal }] } }),
      })),
    }),
  };

  const drawn = new Map();
  const init = () => {
    COLORS = lights[0].matches && !lights[1].matches ? LAMPS : INKS;
    for (const [place, chart] of drawn) if (!place.isConnected) { chart.dispose(); drawn.delete(place); }
    for (const place of document.querySelectorAll("[data-chart]")) {
      if (drawn.has(place) || !place.offsetParent) continue; // a folded figure has no width yet
      const option = builders[place.dataset.chart](place, JSON.parse(place.dataset.values));
      const chart = echarts.init(place, null, { renderer: "svg" });
      drawn.set(place, chart);
      chart.setOption(option);
      if (place.after_init) place.after_init(chart);
    }
  };
  const redraw = () => {
    for (const [place, chart] of drawn) chart.dispose();
    drawn.clear();
    init();
  };

  const save = (button) => {
    const chart = drawn.get(document.getElementById(button.dataset.save));
    const hand = (address, form) => {
      const link = document.createElement("a");
      link.href = address;
      link.download = `assay-${button.dataset.save}.${form}`;
      link.click();
    };
    const address = chart.getDataURL({ type: "svg" });
    if (button.dataset.form === "svg") return hand(address, "svg");
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * chart.getWidth();
      canvas.height = 2 * chart.getHeight();
      const pen = canvas.getContext("2d");
      pen.fillStyle = color("paper");
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(image, 0, 0, canvas.width, canvas.height);
      hand(canvas.toDataURL("image/png"), "png");
    };
    image.src = address;
  };

  document.addEventListener("DOMContentLoaded", init);
  document.addEventListener("toggle", init, true);
  document.addEventListener("htmx:afterSettle", () => {
    init();
    const cut = document.getElementById("cut-answer"), roc = document.getElementById("roc");
    if (cut && roc && drawn.has(roc)) {
      roc.move(drawn.get(roc), JSON.parse(cut.dataset.point), cut.dataset.model);
      const slider = document.getElementById("threshold-slider");
      slider.min = cut.dataset.low;
      slider.max = cut.dataset.high;
      slider.value = document.getElementById("field-threshold").value;
    }
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-save]");
    if (button) save(button);
  });
  for (const light of lights) light.addEventListener("change", redraw);
  let asked = 0;
  addEventListener("resize", () => { clearTimeout(asked); asked = setTimeout(redraw, 150); });
})();

// Build dates are days, "2026-11-20", in UTC. Arithmetic is on day numbers.

const DAY = 86_400_000;

export const dayOf = (text) => Math.round(Date.parse(text + "T00:00:00Z") / DAY);
export const textOfDay = (day) => new Date(day * DAY).toISOString().slice(0, 10);

// "+12 d", "−3 d"
export function distance(days) {
  return days < 0 ? `−${-days} d` : `+${days} d`;
}

// The promise of the policy that covers a consumer this many days after its producer; "": none.
export function promiseOf(days, {backward_days: backward, forward_days: forward}) {
  if (days >= 0) return days <= backward ? "backward" : "";
  return -days <= forward ? "forward" : "";
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// "20 Nov", "3 Sep – 20 Nov", "3 Sep 2025 – 20 Jan 2026"
export function daysText(first, last) {
  const year = first.slice(0, 4) !== last.slice(0, 4);
  const text = (day) =>
    `${Number(day.slice(8))} ${MONTHS[day.slice(5, 7) - 1]}${year ? " " + day.slice(0, 4) : ""}`;
  return first === last ? text(last) : `${text(first)} – ${text(last)}`;
}

// First days of months or years between two days, at most `most` of them, with labels.
export function calendarTicks(first, last, most) {
  const start = new Date(first * DAY);
  const months = (last - first) / 30.4;
  const step = [1, 2, 3, 6, 12, 24, 60].find((each) => months / each <= most) ?? 120;
  const ticks = [];
  let year = start.getUTCFullYear();
  let month = step >= 12 ? 0 : Math.floor(start.getUTCMonth() / step) * step;
  for (;;) {
    const day = Math.round(Date.UTC(year, month, 1) / DAY);
    if (day > last) return ticks;
    if (day >= first)
      ticks.push({day, label: month === 0 ? String(year) : MONTHS[month], year: month === 0});
    month += step;
    year += Math.floor(month / 12);
    month %= 12;
  }
}

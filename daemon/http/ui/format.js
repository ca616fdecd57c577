// Numbers and names as people read them.

// 740 ms, 4.2 s, 3 min 20 s, 2 h 5 min, 3 d 4 h
export function duration(ms) {
  if (ms === null || ms === undefined) return '–';
  if (ms < 0) return '-' + duration(-ms);
  if (ms === 0) return '0 ms';
  if (ms < 10) return `${Number(ms.toFixed(ms < 1 ? 2 : 1))} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return twoUnits(whole, 60, 'min', 's');
  if (whole < 86400) return twoUnits(Math.floor(whole / 60), 60, 'h', 'min');
  return twoUnits(Math.floor(whole / 3600), 24, 'd', 'h');
}

// 73 / 115 / 223 ms: a unit is left out when the next has the same.
export function durations(list) {
  if (list.every((ms) => ms === null)) return '–';
  const texts = list.map(duration);
  const unit = (text) => text?.match(/^[\d.]+( \S+)$/)?.[1];
  return texts
    .map((text, index) =>
      unit(text) !== undefined && unit(text) === unit(texts[index + 1]) ? text.slice(0, -unit(text).length) : text,
    )
    .join(' / ');
}

function twoUnits(amount, per, large, small) {
  const rest = amount % per;
  return `${Math.floor(amount / per)} ${large}` + (rest ? ` ${rest} ${small}` : '');
}

// 0, 0.4, 12, 1,234
export function rate(perSecond) {
  if (perSecond === null) return '–';
  if (perSecond !== 0 && perSecond < 10) return perSecond.toFixed(1);
  return count(Math.round(perSecond));
}

export const count = (number) => number.toLocaleString('en');

export const plural = (number, one, many = one + 's') => `${count(number)} ${number === 1 ? one : many}`;

export function clockTime(date) {
  const two = (number) => String(number).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

// Control characters, and those that turn or hide text, are shown by their number.
export function visible(text) {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]/gu,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`,
  );
}

/** Stacked bars over time: what was counted in each part of it. A range can be chosen by dragging over them. */
import { type PointerEvent, type ReactNode, useState } from 'react';
import { momentPart, momentWord, rangeWord } from '../times.tsx';
import { shownNumber } from '../words.ts';
import { type Bar, type Layer, totalOf } from './bar.ts';
import { BarNumbers } from './bar-numbers.tsx';
import styles from './bars.module.css';

/** The bars. `label` says what they count; `zoom` is told of a range that was dragged over. */
export function Bars({
  label,
  bars,
  layers,
  height = 72,
  zoom,
}: {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly layers: readonly Layer[];
  readonly height?: number;
  readonly zoom?: (from: string, to: string) => void;
}): ReactNode {
  const [pointed, setPointed] = useState<number | null>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const most = Math.max(1, ...bars.map(totalOf));
  const isEmpty = bars.every(bar => totalOf(bar) === 0);
  const present = layers.filter(({ name }) => bars.some(({ counts }) => (counts[name] ?? 0) > 0));
  const at = (event: PointerEvent): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(bars.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * bars.length)));
  };
  const end = (event: PointerEvent): void => {
    const [left, right] = [at(event), dragged ?? at(event)].sort((a, b) => a - b);
    setDragged(null);
    const [begin, over] = [bars[left ?? 0], bars[right ?? 0]];
    if (zoom && begin && over && left !== right) zoom(begin.from, over.to);
  };
  const shown = pointed === null ? null : bars[pointed];
  const last = bars.at(-1);
  return (
    <figure className={styles.figure}>
      <div className={styles.plot} style={{ height }}>
        <svg
          viewBox={`0 0 ${bars.length} ${most}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${label}: ${shownNumber(bars.reduce((sum, bar) => sum + totalOf(bar), 0))}, at most ${shownNumber(most)} in one bar`}
          data-zooms={zoom && true}
          onPointerMove={event => setPointed(at(event))}
          onPointerLeave={() => setPointed(null)}
          onPointerDown={event => {
            if (!zoom) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setDragged(at(event));
          }}
          onPointerUp={end}
          onPointerCancel={() => setDragged(null)}
        >
          {dragged !== null && pointed !== null && (
            <rect
              className={styles.range}
              x={Math.min(dragged, pointed)}
              width={Math.abs(pointed - dragged) + 1}
              height={most}
            />
          )}
          {bars.map((bar, index) => (
            <Stack key={bar.from} bar={bar} index={index} layers={layers} most={most} isPointed={index === pointed} />
          ))}
        </svg>
        {isEmpty ? (
          <p className={styles.nothing}>Nothing in this period.</p>
        ) : (
          <span className={styles.most} aria-hidden="true">
            {shownNumber(most)}
          </span>
        )}
        {shown && !isEmpty && (
          <div
            className={styles.tip}
            style={(pointed ?? 0) > bars.length / 2 ? { left: 8 } : { right: 8 }}
            aria-hidden="true"
          >
            <strong>{rangeWord(shown.from, shown.to)}</strong>
            {layers
              .filter(({ name }) => (shown.counts[name] ?? 0) > 0)
              .map(({ name, label: word, colour }) => (
                <span key={name}>
                  <i style={{ background: colour }} /> {word} <b>{shownNumber(shown.counts[name] ?? 0)}</b>
                </span>
              ))}
          </div>
        )}
      </div>
      <figcaption>
        <span>{bars[0] && momentPart(bars[0].from)}</span>
        {!isEmpty && (
          <span className={styles.legend}>
            {present.map(({ name, label: word, colour }) => (
              <span key={name}>
                <i style={{ background: colour }} /> {word}
              </span>
            ))}
            <BarNumbers label={label} bars={bars} layers={layers} zoom={zoom} />
          </span>
        )}
        <span>{last && momentWord(last.to)}</span>
      </figcaption>
    </figure>
  );
}

function Stack({
  bar,
  index,
  layers,
  most,
  isPointed,
}: {
  readonly bar: Bar;
  readonly index: number;
  readonly layers: readonly Layer[];
  readonly most: number;
  readonly isPointed: boolean;
}): ReactNode {
  let below = 0;
  return (
    <g opacity={isPointed ? 0.75 : 1}>
      {layers.map(({ name, colour }) => {
        const count = bar.counts[name] ?? 0;
        if (count === 0) return null;
        below += count;
        return <rect key={name} x={index + 0.08} y={most - below} width={0.84} height={count} fill={colour} />;
      })}
    </g>
  );
}

/** How much of the cap a bundle takes. Over the cap the whole stretch is the bundle and a line shows where the cap is. */
import { showBytes, showCount, showShare } from '../../contract/show-amount.js';

interface CapGaugeWords {
  readonly bytes: number;
  readonly cap: number;
  /** `project`, `machine` or `default`. */
  readonly origin?: string | undefined;
}

export const CapGauge = ({ bytes, cap, origin }: CapGaugeWords) => {
  const isOver = bytes > cap;
  const share = isOver ? 100 : (bytes / cap) * 100;
  return (
    <div class={`gauge${isOver ? ' gauge-over' : ''}`}>
      <div class="gauge-words">
        <span>
          <strong title={`${showCount(bytes)} bytes`}>{showBytes(bytes)}</strong> of{' '}
          <span title={`${showCount(cap)} bytes`}>{showBytes(cap)}</span>
        </span>
        <span class="gauge-share">
          {isOver ? 'over the cap' : showShare(bytes, cap)}
          {origin === undefined ? '' : ` · ${origin === 'default' ? 'default cap' : `cap of the ${origin}`}`}
        </span>
      </div>
      <meter class="hidden" aria-label="Share of the cap" min={0} max={cap} value={Math.min(bytes, cap)}>
        {`${showBytes(bytes)} of ${showBytes(cap)}${isOver ? ', over the cap' : ''}`}
      </meter>
      <div class="gauge-track" aria-hidden="true">
        <div class="gauge-fill" style={{ width: `${Math.max(share, bytes > 0 ? 0.5 : 0)}%` }} />
        {isOver && <div class="gauge-cap" style={{ left: `${(cap / bytes) * 100}%` }} />}
      </div>
    </div>
  );
};

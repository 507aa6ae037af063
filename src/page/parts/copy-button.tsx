/** Copies a text that is too long to read aloud: an id, a digest. Says that it did, to eyes and to screen readers. */
import { useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 1600;

export const CopyButton = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [told, setTold] = useState<'copied' | 'failed' | null>(null);
  useEffect(() => {
    if (told === null) return;
    const timer = setTimeout(() => setTold(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [told]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setTold('copied'),
      () => setTold('failed'),
    );
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`Copy ${what}`}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">
        {told === 'copied' ? <path d="M3 8.5 6.5 12 13 4.5" /> : <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />}
      </svg>
      <span class="hidden" role="status">
        {told === null ? '' : told === 'copied' ? 'Copied' : 'Could not copy'}
      </span>
    </button>
  );
};

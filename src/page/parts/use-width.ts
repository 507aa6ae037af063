/** The width of an element in whole pixels, as it changes. 0 before it is known. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

export const useWidth = <T extends HTMLElement>(): { readonly ref: RefObject<T | null>; readonly width: number } => {
  const ref = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    setWidth(Math.floor(element.clientWidth));
    return () => observer.disconnect();
  }, []);
  return { ref, width };
};

/** A box that scrolls can be reached by Tab, so that arrow keys scroll it; one whose content fits is passed over. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface ScrollBoxWords {
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

export const ScrollBox = ({ label, class: name, children }: ScrollBoxWords) => {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const judge = () => {
      const scrolls = element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1;
      if (scrolls) element.tabIndex = 0;
      else element.removeAttribute('tabindex');
    };
    const observer = new ResizeObserver(judge);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    judge();
    return () => observer.disconnect();
  });
  return (
    <section class={name} aria-label={label} ref={box}>
      {children}
    </section>
  );
};

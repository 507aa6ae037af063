import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { followSignals } from '../../src/contract/follow-signals.js';

const listenersOf = ({ signal }: AbortController): number => getEventListeners(signal, 'abort').length;

describe('followSignals', () => {
  it('aborts with the first source that does, with its reason, and leaves the others', () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const followed = followSignals([one.signal, two.signal]);
    expect([followed.signal.aborted, listenersOf(one), listenersOf(two)]).toEqual([false, 1, 1]);
    const reason = new Error('the first');
    two.abort(reason);
    one.abort(new Error('the second'));
    expect(followed.signal.reason).toBe(reason);
    expect([listenersOf(one), listenersOf(two)]).toEqual([0, 0]);
  });

  it('is aborted from the start by a source that was', () => {
    const [one, two] = [new AbortController(), new AbortController()];
    two.abort(new Error('before'));
    expect(followSignals([one.signal, two.signal]).signal.reason).toBe(two.signal.reason);
    expect(listenersOf(one)).toBe(0);
  });

  it('aborts alone without its sources, and keeps its first reason', () => {
    const source = new AbortController();
    const followed = followSignals([source.signal]);
    const reason = new Error('its own');
    followed.abort(reason);
    followed.abort(new Error('later'));
    source.abort();
    expect([followed.signal.reason, source.signal.reason === reason]).toEqual([reason, false]);
  });

  it('stays as it is once it has left', () => {
    const source = new AbortController();
    const followed = followSignals([source.signal]);
    followed.leave();
    source.abort();
    expect([followed.signal.aborted, listenersOf(source)]).toEqual([false, 0]);
  });
});

/** What a person, a program or a job asked for: one send, in words that name no provider's secrets and no list. */
import type { KindName } from '../contract/item.js';

export interface SendWords {
  readonly verb: string;
  readonly kind: KindName;
  /** The agent that the verb dispatches; a reading's is that of its position, once the run was read. */
  readonly agent: string;
  /** `A..B` as typed, or `null` for the kind's default. */
  readonly range: string | null;
  /** Path of `--brief`, as typed. */
  readonly brief: string | null;
  readonly question: string | null;
  /** `itd-<digits>`, for the kinds that are about an intent. */
  readonly intent: string | null;
  /** Tag and revision of a release's cut. */
  readonly from: string | null;
  readonly to: string | null;
  /** Id of a parked reading. */
  readonly dispatch: string | null;
  /** Every `--route` as typed. */
  readonly routes: readonly string[];
  /** Every `--set` as typed. */
  readonly settings: readonly string[];
  /** Everything but the call. */
  readonly plan: boolean;
  readonly expect: string | null;
  /** A program waits for this very send (`--json`, the service, the queue): it never falls back to the host. */
  readonly isAwaited: boolean;
  /** Only a send will do (the service, the queue): an agent without a provider is refused, not handed to the host. */
  readonly mustSend: boolean;
}

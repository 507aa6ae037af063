/** The piece of a machine file that makes the sandbox a provider: remote in name, on this machine in fact. */

interface FragmentFacts {
  readonly tls: boolean;
  readonly name: string;
  readonly address: string;
  readonly caFile: string | null;
}

/** Name of the provider in the fragment. */
const SANDBOX_PROVIDER = 'sandbox';
export const SANDBOX_MODEL = 'summary-1';

/** JSON as it stands in a machine file; `roles` routes the reviewer to the sandbox. */
export const machineFragment = (facts: FragmentFacts): Readonly<Record<string, unknown>> => {
  const baseUrl = facts.tls ? `https://${facts.name}/v1` : `http://${facts.address}/v1`;
  return {
    oracle: {
      api: { [SANDBOX_PROVIDER]: { base_url: baseUrl, models: [SANDBOX_MODEL] } },
      roles: { 'change-reviewer': `${SANDBOX_PROVIDER}/${SANDBOX_MODEL}` },
      bundled_context_providers: [SANDBOX_PROVIDER],
    },
    ...(facts.tls
      ? {
          coldseal: {
            providers: {
              [SANDBOX_PROVIDER]: { resolve: { [facts.name]: facts.address }, ca_file: facts.caFile },
            },
          },
        }
      : {}),
  };
};

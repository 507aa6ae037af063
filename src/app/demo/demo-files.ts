/**
 * The files of the demonstration: a small project and a change to it, with secrets that are drawn anew for every run. No
 * value stands here, and none of them opens anything.
 */
import { expandExample } from '../../rules/expand-example.js';

type Files = Readonly<Record<string, string | Uint8Array>>;

export interface Planted {
  /** In words, e.g. `a GitHub token`. */
  readonly what: string;
  readonly path: string;
  readonly value: string;
}

export interface DemoFiles {
  readonly first: Files;
  readonly change: Files;
  readonly planted: readonly Planted[];
}

/** The same files for the same seed. */
export const demoFiles = (seed: string): DemoFiles => {
  const token = expandExample('{github:ghp}', seed);
  const encoded = Buffer.from(token, 'utf8').toString('base64');
  const password = expandExample('{mixed:24}', seed);
  const inWithheld = expandExample('{base62:40}', seed);
  return {
    first: {
      'README.md': '# Weather service\n\nAsks a provider for the weather and keeps it for an hour.\n',
      'src/client.ts': "import { settings } from './settings.js';\nexport const token = settings.token;\n",
      'src/cache.ts': 'export const keptMs = 60 * 60 * 1000;\n',
    },
    change: {
      'src/client.ts': [
        "const fallback = '",
        token,
        "';\n",
        "import { settings } from './settings.js';\nexport const token = settings.token ?? fallback;\n",
      ].join(''),
      'deploy/values.yaml': `replicas: 2\ndatabase: postgres://weather:${password}@db.weather.example:5432/weather\n`,
      'deploy/secret.yaml': `apiVersion: v1\nkind: Secret\ndata:\n  weather: ${encoded}\n`,
      '.env': `WEATHER_SECRET=${inWithheld}\n`,
      'assets/logo.png': Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0x0d, 0xff, 0xfe, 0, 1]),
    },
    planted: [
      { what: 'a GitHub token', path: 'src/client.ts', value: token },
      { what: 'the password in a database’s URL', path: 'deploy/values.yaml', value: password },
      { what: 'the same token in base64', path: 'deploy/secret.yaml', value: encoded },
      { what: 'a secret in a file that is withheld whole', path: '.env', value: inWithheld },
    ],
  };
};

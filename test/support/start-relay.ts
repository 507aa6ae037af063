/**
 * A relay of bytes on loopback before one server: its address stays while the server behind it is held back, cut off or
 * another one, as an address in front of a primary and its replica does.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** How often somebody connected. */
  connections(): number;
  /** Where new connections lead; those there are end. */
  lead(port: number): void;
  /** Holds back what a side says from the first bytes that `from` knows, those included, until they are let go. */
  hold(side: Side, from: (bytes: Buffer) => boolean): void;
  /** What is held back of that side, as text. */
  held(side: Side): string;
  letGo(): void;
  close(): Promise<void>;
}

export type Side = 'client' | 'server';

interface Held {
  from: ((bytes: Buffer) => boolean) | null;
  isHolding: boolean;
  readonly parts: { readonly to: Socket; readonly bytes: Buffer }[];
}

export const startRelay = async (port: number): Promise<Relay> => {
  let target = port;
  let connections = 0;
  const sockets = new Set<Socket>();
  const sides: Readonly<Record<Side, Held>> = {
    client: { from: null, isHolding: false, parts: [] },
    server: { from: null, isHolding: false, parts: [] },
  };
  const pass = (side: Side, to: Socket) => (bytes: Buffer) => {
    const held = sides[side];
    held.isHolding ||= held.from?.(bytes) === true;
    if (held.isHolding) held.parts.push({ to, bytes });
    else to.write(bytes);
  };
  const server = createServer((client) => {
    connections += 1;
    const upstream = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    client.on('data', pass('client', upstream));
    upstream.on('data', pass('server', client));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => connections,
    lead: (to) => {
      target = to;
      cut();
    },
    hold: (side, from) => {
      sides[side].from = from;
    },
    held: (side) => Buffer.concat(sides[side].parts.map(({ bytes }) => bytes)).toString('latin1'),
    letGo: () => {
      for (const side of [sides.client, sides.server]) {
        side.from = null;
        side.isHolding = false;
        for (const { to, bytes } of side.parts.splice(0)) if (!to.destroyed) to.write(bytes);
      }
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};

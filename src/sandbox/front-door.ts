/**
 * The listening end of the sandbox: counts every TCP connection before TLS and before HTTP, so that a call that must not
 * be made can be shown not to have been, and plays the faults that happen to a connection before it is a request.
 */
import { createServer, type Socket } from 'node:net';
import type { Reply } from './script.js';

export interface FrontDoor {
  readonly port: number;
  /** Accepted so far. */
  connections(): number;
  /** Open now. */
  open(): number;
  /** The TCP socket with its number, under a TLS socket or itself. */
  under(socket: Socket): { readonly socket: Socket; readonly connection: number };
  close(): Promise<void>;
}

export interface FrontDoorPlan {
  /** 0: one that is free. */
  readonly port: number;
  /** What the next connection meets. */
  readonly meeting: () => Reply['connection'];
  /** Takes a connection that is accepted. */
  readonly accept: (socket: Socket) => void;
}

export const openFrontDoor = async (plan: FrontDoorPlan): Promise<FrontDoor> => {
  const sockets = new Map<Socket, number>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    sockets.set(socket, connections);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    meet(socket, plan.meeting(), plan.accept);
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(plan.port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : plan.port);
    });
  });
  return {
    port,
    connections: () => connections,
    open: () => sockets.size,
    under: (socket) => {
      const found = [...sockets].find(([known]) => known.remotePort === socket.remotePort);
      return { socket: found?.[0] ?? socket, connection: found?.[1] ?? 0 };
    },
    close: async () => {
      for (const socket of sockets.keys()) {
        socket.destroy();
      }
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
};

const meet = (socket: Socket, connection: Reply['connection'], accept: (socket: Socket) => void): void => {
  switch (connection) {
    case 'accept':
      accept(socket);
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'close':
      socket.end();
      return;
    case 'stall':
      // Read and dropped, so that the other side's leaving is seen.
      socket.resume();
      return;
    case 'no-tls':
      socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
      return;
    default:
      connection satisfies never;
  }
};

/** A real CONNECT proxy on loopback: it tunnels where it is told to, or answers what a test says. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface ConnectProxy {
  readonly port: number;
  /** First lines and headers of each request, as they came. */
  readonly heads: readonly string[];
  close(): Promise<void>;
}

export interface ConnectProxyPlan {
  /** Where every tunnel ends, whatever name was asked for: `host:port`. */
  readonly target: string;
  /** Answered instead of a tunnel. */
  readonly answer?: string;
}

export const startConnectProxy = async (plan: ConnectProxyPlan): Promise<ConnectProxy> => {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined).once('close', () => sockets.delete(client));
    let head = '';
    const read = (bytes: Buffer): void => {
      head += bytes.toString('latin1');
      if (!head.includes('\r\n\r\n')) {
        return;
      }
      client.off('data', read);
      heads.push(head);
      if (plan.answer !== undefined) {
        client.end(plan.answer);
        return;
      }
      const [host = '', port = ''] = plan.target.split(':');
      const upstream = connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(upstream).pipe(client);
      });
      sockets.add(upstream);
      upstream.on('error', () => client.destroy());
      upstream.once('close', () => client.destroy());
    };
    client.on('data', read);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    heads,
    close: async () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
};

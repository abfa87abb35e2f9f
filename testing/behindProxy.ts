/** A real server that clients reach through a tampering proxy. */
import { type RunningServer, startServer } from './startServer.ts'
import { startTamperingProxy, type TamperingProxy } from './tamperingProxy.ts'

export interface BehindProxy {
  /** Its address is the server's public URL. */
  readonly proxy: TamperingProxy
  readonly server: RunningServer
  stop(): Promise<void>
}

/** `env`: settings of the server. */
export async function startBehindProxy(env: Readonly<Record<string, string>> = {}): Promise<BehindProxy> {
  const proxy = await startTamperingProxy()
  try {
    const server = await startServer({ publicUrl: proxy.url, env })
    proxy.forwardTo(server.url)
    return {
      proxy,
      server,
      async stop() {
        await server.stop()
        await proxy.close()
      },
    }
  } catch (error) {
    await proxy.close()
    throw error
  }
}

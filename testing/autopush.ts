/**
 * The other half of a push service: how a Firefox speaks to its own (autopush, WebSocket). Firefox is led here with the
 * setting `dom.push.serverURL`. What is sent to its endpoints arrives at `openPushService`, which judges it and hands
 * it over as it is.
 */

import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { PushService } from './pushService.ts'

export interface Autopush {
  /** For `dom.push.serverURL`. */
  readonly url: string
  close(): Promise<void>
}

/** Of Firefox's protocol, in either direction. */
type Message = Readonly<Record<string, unknown>>

export async function openAutopush(push: PushService): Promise<Autopush> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => 'push-notification' })
  await new Promise<void>((resolve) => server.once('listening', resolve))
  server.on('connection', (socket) => {
    socket.on('message', (data: RawData) => answer(socket, JSON.parse(String(data)), push))
  })
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of server.clients) socket.terminate()
        server.close(() => resolve())
      }),
  }
}

function answer(socket: WebSocket, request: Message, push: PushService): void {
  const send = (message: Message) => socket.send(JSON.stringify(message))
  const { messageType, channelID, key } = request
  if (messageType === 'hello')
    send({ messageType, uaid: randomUUID().replaceAll('-', ''), status: 200, use_webpush: true, broadcasts: {} })
  if (messageType === 'register') {
    const headers = { encoding: 'aes128gcm' }
    const deliver = (body: Buffer) => {
      const data = body.toString('base64url')
      send({ messageType: 'notification', channelID, version: randomUUID(), data, headers })
    }
    send({ messageType, channelID, status: 200, pushEndpoint: push.subscribeReal(unpadded(String(key)), deliver) })
  }
  if (messageType === 'unregister') send({ messageType, channelID, status: 200 })
  // A ping.
  if (messageType === undefined) send({})
}

/** Firefox pads, servers do not (RFC 8292, section 2). */
const unpadded = (key: string) => key.replace(/=+$/, '')

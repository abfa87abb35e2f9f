/** Real receivers of messages, on loopback: an HTTP server and a mail server. */
import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { RECEIVER_CERTIFICATE, RECEIVER_KEY } from './receiverCertificate.ts'

export interface ReceivedPost {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly port: number
  readonly received: ReceivedPost[]
  /** How many connections were opened. */
  connections(): number
  /** How it answers from now on. `never`: not at all. `endless`: 200 and a body without an end. */
  answer: number | 'never' | 'endless'
  close(): Promise<void>
}

export async function openReceiver({ isTls = false, cert = RECEIVER_CERTIFICATE } = {}): Promise<Receiver> {
  const received: ReceivedPost[] = []
  let connections = 0
  const onRequest: http.RequestListener = async (request, response) => {
    const { url: path = '', headers } = request
    received.push({ path, headers, body: await text(request) })
    if (receiver.answer === 'never') return
    if (receiver.answer !== 'endless') {
      response.writeHead(receiver.answer, { Location: '/elsewhere' }).end('words of the receiver')
      return
    }
    response.writeHead(200)
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    }
    response.on('drain', more).on('error', () => undefined)
    more()
  }
  const server = isTls ? https.createServer({ cert, key: RECEIVER_KEY }, onRequest) : http.createServer(onRequest)
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    port: (server.address() as AddressInfo).port,
    received,
    connections: () => connections,
    answer: 204,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
}

export interface MailReceiver {
  readonly port: number
  readonly received: ReceivedMail[]
  /** The reply to each recipient from now on; undefined: it takes the mail. */
  refusal: number | undefined
  close(): Promise<void>
}

export async function openMailReceiver(): Promise<MailReceiver> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo(_address, _session, done) {
      const { refusal } = receiver
      done(refusal === undefined ? null : Object.assign(new Error('words of the receiver'), { responseCode: refusal }))
    },
    onData(stream, { envelope }, done) {
      void text(stream).then((mail) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), text: mail })
        done()
      })
    },
  })
  const listener = server.listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => listener.once('listening', resolve))
  const receiver: MailReceiver = {
    port: (listener.address() as AddressInfo).port,
    received,
    refusal: undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return receiver
}

import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import type { LookupAddress } from 'node:dns'
import { describe, it } from 'node:test'
import { instantOf } from '@blindkeep/protocol/ids'
import { openNameServer } from '../../../../../testing/nameServer.ts'
import { ORPHAN_CERTIFICATE, RECEIVER_CERTIFICATE } from '../../../../../testing/receiverCertificate.ts'
import { type MailReceiver, openMailReceiver, openReceiver, type Receiver } from '../../../../../testing/receivers.ts'
import type { Delivery, Message, Target } from '../../ports/messenger.ts'
import { createHandClock } from '../../testing/handClock.ts'
import { createPushSigner } from '../keyring/pushSigner.ts'
import { createMessenger, type MessengerSettings } from './messenger.ts'
import { createResolveName } from './post.ts'

const landings: Message = {
  messageId: 'msg_1',
  about: 'landings',
  count: 3,
  isNearlyFull: false,
  isRefused: false,
  firstAt: instantOf(Date.UTC(2026, 5, 1, 10, 2)),
  lastAt: instantOf(Date.UTC(2026, 5, 1, 10, 5)),
}
const secret = new Uint8Array(randomBytes(32))
const pushSigner = createPushSigner(randomBytes(32))
const never = new AbortController().signal
const LOOPBACK = ['127.0.0.0/8']

/** Names that resolve as the test says; others do not exist. */
const names = (known: Readonly<Record<string, readonly string[]>>) => async (name: string) => {
  const addresses = known[name]
  if (addresses === undefined) throw new Error(`${name} is unknown`)
  return addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }))
}

interface Given extends Partial<MessengerSettings> {
  readonly resolve?: (name: string) => Promise<readonly LookupAddress[]>
  readonly ca?: string
}

function messengerWith({ resolve = names({}), ca, ...settings }: Given = {}) {
  return createMessenger(
    { clock: createHandClock(), pushSigner, resolve, ...(ca !== undefined && { ca }) },
    {
      offered: ['webhook', 'ntfy', 'email'],
      networks: LOOPBACK,
      serverId: 'https://keep.example',
      mail: undefined,
      ...settings,
    },
  )
}

const webhook = (url: string): Target => ({ kind: 'webhook', url, secret })
const send = (url: string, given?: Given): Promise<Delivery> => messengerWith(given).send(webhook(url), landings, never)

/** A test with a receiver. */
function withReceiver(
  work: (receiver: Receiver) => Promise<void>,
  options?: { readonly isTls: boolean; readonly cert?: string },
) {
  return async () => {
    const receiver = await openReceiver(options)
    try {
      await work(receiver)
    } finally {
      await receiver.close()
    }
  }
}

describe('a webhook', () => {
  it(
    'gets count and times, signed as Standard Webhooks says',
    withReceiver(async ({ port, received }) => {
      assert.equal(await send(`http://127.0.0.1:${port}/hook?key=1`), 'sent')
      const [post] = received
      assert.equal(received.length, 1)
      assert.equal(post?.path, '/hook?key=1')
      assert.deepEqual(JSON.parse(post.body), {
        type: 'drops.landed',
        timestamp: '2026-06-01T00:00:00.000Z',
        data: {
          server: 'https://keep.example',
          count: 3,
          first_at: '2026-06-01T10:02:00.000Z',
          last_at: '2026-06-01T10:05:00.000Z',
        },
      })
      const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = post.headers
      assert.deepEqual([id, timestamp], ['msg_1', String(Date.UTC(2026, 5, 1) / 1000)])
      const expected = createHmac('sha256', secret).update(`msg_1.${timestamp}.${post.body}`).digest('base64')
      assert.equal(signature, `v1,${expected}`)
    }),
  )

  it(
    'gives a class of faults for each answer, and no redirect is followed',
    withReceiver(async (receiver) => {
      const outcomes: Delivery[] = []
      for (const status of [200, 299, 301, 307, 400, 404, 410, 500, 503, 101]) {
        receiver.answer = status
        outcomes.push(await send(`http://127.0.0.1:${receiver.port}/`))
      }
      const fault = (name: string) => ({ fault: name })
      assert.deepEqual(outcomes, [
        'sent',
        'sent',
        ...[
          'redirected',
          'redirected',
          'rejected',
          'rejected',
          'no_longer_there',
          'receiver_failed',
          'receiver_failed',
          'receiver_failed',
        ].map(fault),
      ])
      assert.deepEqual(new Set(receiver.received.map(({ path }) => path)), new Set(['/']))
    }),
  )

  it(
    'counts by its status: a body without an end is not read',
    withReceiver(async (receiver) => {
      receiver.answer = 'endless'
      assert.equal(await send(`http://127.0.0.1:${receiver.port}/`), 'sent')
    }),
  )

  it(
    'ends with the caller’s signal when the receiver never answers',
    withReceiver(async (receiver) => {
      receiver.answer = 'never'
      const stop = new AbortController()
      const sending = messengerWith().send(webhook(`http://127.0.0.1:${receiver.port}/`), landings, stop.signal)
      while (receiver.received.length === 0) await new Promise(setImmediate)
      stop.abort(new Error('the server ends'))
      await assert.rejects(sending, /the server ends/)
    }),
  )

  it('is unreachable where nothing listens', async () => {
    const receiver = await openReceiver()
    await receiver.close()
    assert.deepEqual(await send(`http://127.0.0.1:${receiver.port}/`), { fault: 'unreachable' })
  })
})

describe('a move of the server', () => {
  const moved: Message = {
    messageId: 'msg_2',
    about: 'moved',
    from: 'https://old.example',
    to: 'https://keep.example',
    at: instantOf(Date.UTC(2026, 11, 1, 9, 30)),
  }

  it(
    'is sent to a webhook with both origins and its time',
    withReceiver(async ({ port, received }) => {
      assert.equal(await messengerWith().send(webhook(`http://127.0.0.1:${port}/`), moved, never), 'sent')
      const { type, data } = JSON.parse(received[0]?.body ?? '')
      assert.equal(type, 'server.moved')
      assert.deepEqual(data, {
        server: 'https://keep.example',
        from: 'https://old.example',
        to: 'https://keep.example',
        moved_at: '2026-12-01T09:30:00.000Z',
      })
    }),
  )

  it(
    'is named to people by its two hosts, without a link, and by its two origins where the host stays',
    withReceiver(async ({ port, received }) => {
      const target: Target = { kind: 'ntfy', url: `http://127.0.0.1:${port}/topic`, token: undefined }
      assert.equal(await messengerWith().send(target, moved, never), 'sent')
      const [{ body = '', headers } = {}] = received
      assert.match(body, /old\.example has moved to keep\.example, at 2026-12-01 09:30 UTC/)
      assert.doesNotMatch(`${body} ${headers?.title}`, /https?:/)
      await messengerWith().send(target, { ...moved, from: 'http://keep.example' }, never)
      assert.match(received[1]?.body ?? '', /http:\/\/keep\.example has moved to https:\/\/keep\.example/)
    }),
  )
})

describe('a receiver over TLS', () => {
  const resolve = names({ 'receiver.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] })
  it(
    'is reached at the address that was judged, with a certificate for its name',
    withReceiver(
      async ({ port, received }) => {
        const ca = RECEIVER_CERTIFICATE
        assert.equal(await send(`https://receiver.example:${port}/`, { resolve, ca }), 'sent')
        assert.equal(received[0]?.headers.host, `receiver.example:${port}`)
        assert.deepEqual(await send(`https://receiver.example:${port}/`, { resolve }), { fault: 'tls_failed' })
        assert.deepEqual(await send(`https://other.example:${port}/`, { resolve, ca }), { fault: 'tls_failed' })
        assert.equal(received.length, 1)
      },
      { isTls: true },
    ),
  )

  it(
    'is not reached with a certificate whose authority is unknown',
    withReceiver(
      async ({ port }) => {
        assert.deepEqual(await send(`https://receiver.example:${port}/`, { resolve }), { fault: 'tls_failed' })
      },
      { isTls: true, cert: ORPHAN_CERTIFICATE },
    ),
  )
})

describe('a name or address inside the operator’s network', () => {
  const refused = { fault: 'address_refused' }

  it(
    'is not connected to, however it is written',
    withReceiver(async ({ port, connections }) => {
      const written = [
        '127.0.0.1',
        '2130706433',
        '0x7f.1',
        '0177.0.0.1',
        '127.1',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '0.0.0.0',
        '[::]',
      ]
      for (const host of written)
        for (const scheme of ['http', 'https'])
          assert.deepEqual(await send(`${scheme}://${host}:${port}/`, { networks: [] }), refused, host)
      assert.equal(connections(), 0)
    }),
  )

  it(
    'is not connected to by a name that leads there, alone or beside a public address; a name that does not exist answers alike',
    withReceiver(async ({ port, connections }) => {
      const resolve = names({
        'inside.example': ['127.0.0.1'],
        'six.example': ['::1'],
        'mapped.example': ['::ffff:127.0.0.1'],
        'both.example': ['93.184.215.14', '127.0.0.1'],
        'metadata.example': ['169.254.169.254'],
      })
      for (const host of ['inside', 'six', 'mapped', 'both', 'metadata', 'unknown'])
        assert.deepEqual(await send(`https://${host}.example:${port}/`, { resolve, networks: [] }), refused, host)
      assert.equal(connections(), 0)
    }),
  )

  it(
    'is not connected to by the answers of a real name server, which is asked once for each kind of address',
    withReceiver(async ({ port, connections, received }) => {
      const nameServer = await openNameServer({
        'inside.example': ['127.0.0.1'],
        'six.example': ['::1'],
        'mapped.example': ['::ffff:7f00:1'],
        'both.example': ['2606:4700::1111', '127.0.0.1'],
      })
      try {
        const resolve = createResolveName([nameServer.address])
        for (const host of ['inside', 'six', 'mapped', 'both', 'unknown'])
          assert.deepEqual(await send(`https://${host}.example:${port}/`, { resolve, networks: [] }), refused, host)
        assert.equal(connections(), 0)
        nameServer.asked.length = 0
        assert.equal(await send(`http://inside.example:${port}/`, { resolve }), 'sent')
        assert.deepEqual(nameServer.asked.toSorted(), ['inside.example 1', 'inside.example 28'])
        assert.equal(received.length, 1)
      } finally {
        await nameServer.close()
      }
    }),
  )

  it(
    'is resolved once: a name that answers differently the second time is not asked again',
    withReceiver(async ({ port, received }) => {
      let asked = 0
      const resolve = async (): Promise<readonly LookupAddress[]> => {
        asked += 1
        return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
      }
      assert.equal(await send(`http://rebinding.example:${port}/`, { resolve, networks: ['127.0.0.1'] }), 'sent')
      assert.deepEqual([asked, received.length], [1, 1])
    }),
  )

  it('is refused on a public address in plain text, or on a port that is not for the web', async () => {
    const resolve = names({ 'public.example': ['93.184.215.14'] })
    for (const url of ['http://public.example/', 'https://public.example:25/', 'https://public.example:6379/'])
      assert.deepEqual(await send(url, { resolve }), refused, url)
  })

  it('is refused by its URL where that shows already', () => {
    const { faultIn } = messengerWith()
    const faultOf = (url: string) => faultIn(webhook(url))
    assert.equal(faultOf('https://hooks.example/a?b'), undefined)
    assert.match(faultOf('https://user:pass@hooks.example/') ?? '', /^must not contain a user/)
    assert.match(faultOf('https://hooks.example/#x') ?? '', /^must not have a part/)
    const longest = 'a.'.repeat(127)
    assert.equal(faultOf(`https://${longest}/`), undefined)
    for (const host of [`a${longest}`, `${longest}:8443`])
      assert.match(faultOf(`https://${host}/`) ?? '', /^must have a host of at most 254/)
    for (const url of ['hooks.example', 'ftp://hooks.example/', 'file:///etc/passwd', ''])
      assert.match(faultOf(url) ?? '', /^must be an https URL/, url)
    for (const url of ['https://10.0.0.1/', 'https://[fd00::1]/', 'https://0x0a000001/', 'http://93.184.215.14/'])
      assert.match(faultOf(url) ?? '', /^must not lead to an address/, url)
    for (const url of ['https://93.184.215.14/', 'http://127.0.0.1:9/', 'http://10.0.0.1.example/'])
      assert.equal(faultOf(url), undefined, url)
  })
})

describe('ntfy', () => {
  it(
    'gets a title, a sentence and the token',
    withReceiver(async ({ port, received }) => {
      const target: Target = { kind: 'ntfy', url: `http://127.0.0.1:${port}/my-topic`, token: 'tk_secret' }
      assert.equal(await messengerWith().send(target, landings, never), 'sent')
      assert.equal(
        await messengerWith().send({ ...target, token: undefined }, { ...landings, count: 1 }, never),
        'sent',
      )
      const [three, one] = received
      assert.deepEqual(
        [three?.path, three?.headers.title, three?.headers.authorization, one?.headers.authorization],
        ['/my-topic', '3 files have arrived', 'Bearer tk_secret', undefined],
      )
      assert.equal(
        three?.body,
        '3 files have arrived in your inbox on keep.example, the last one at 2026-06-01 10:05 UTC.',
      )
      assert.equal(one?.body, '1 file has arrived in your inbox on keep.example at 2026-06-01 10:05 UTC.')
    }),
  )
})

describe('mail', () => {
  const target: Target = { kind: 'email', address: 'owner@example.org' }
  function withMail(work: (receiver: MailReceiver, given: Given) => Promise<void>) {
    return async () => {
      const receiver = await openMailReceiver()
      const server = { host: '127.0.0.1', port: receiver.port, isTls: false, isLoopback: true }
      const mail = { ...server, user: undefined, password: undefined, from: 'keep@keep.example' }
      try {
        await work(receiver, { mail })
      } finally {
        await receiver.close()
      }
    }
  }

  it(
    'goes to the address, from the operator’s',
    withMail(async ({ received }, given) => {
      assert.equal(await messengerWith(given).send(target, landings, never), 'sent')
      const [mail] = received
      assert.deepEqual([mail?.from, mail?.to], ['keep@keep.example', ['owner@example.org']])
      assert.match(mail?.text ?? '', /^Subject: 3 files have arrived \(keep\.example\)\r$/m)
      assert.match(mail?.text ?? '', /^Message-ID: <msg_1@keep\.example>\r$/m)
      assert.match(mail?.text ?? '', /^Auto-Submitted: auto-generated\r$/m)
      assert.match(mail?.text ?? '', /3 files have arrived in your inbox on keep\.example/)
    }),
  )

  it(
    'carries the code of an address',
    withMail(async ({ received }, given) => {
      await messengerWith(given).send(target, { messageId: 'msg_2', about: 'code', code: '01234567' }, never)
      assert.match(received[0]?.text ?? '', /The code for this address is 01234567\./)
    }),
  )

  it(
    'is rejected, or failed for now, as the server says',
    withMail(async (receiver, given) => {
      receiver.refusal = 550
      assert.deepEqual(await messengerWith(given).send(target, landings, never), { fault: 'rejected' })
      receiver.refusal = 451
      assert.deepEqual(await messengerWith(given).send(target, landings, never), { fault: 'receiver_failed' })
      assert.equal(receiver.received.length, 0)
    }),
  )

  it('is not sent in plain text beyond loopback', async () => {
    const receiver = await openMailReceiver()
    try {
      const server = { host: '127.0.0.1', port: receiver.port, isTls: false, isLoopback: false }
      const mail = { ...server, user: undefined, password: undefined, from: 'keep@keep.example' }
      assert.notEqual(await messengerWith({ mail }).send(target, landings, never), 'sent')
      assert.equal(receiver.received.length, 0)
    } finally {
      await receiver.close()
    }
  })

  it('and any other kind are not sent when the operator does not offer them', async () => {
    const fault = { fault: 'not_offered' }
    assert.deepEqual(await messengerWith().send(target, landings, never), fault, 'no mail server')
    assert.deepEqual(await send('http://127.0.0.1:9/', { offered: ['email'] }), fault)
  })
})

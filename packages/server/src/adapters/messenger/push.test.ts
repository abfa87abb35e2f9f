/** Web Push against a push service that verifies and decrypts with other code than ours (`testing/pushService.ts`). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { instantOf } from '@blindkeep/protocol/ids'
import { PUSH_CERTIFICATE } from '../../../../../testing/pushCertificate.ts'
import { openPushService, type PushService, type TestSubscription } from '../../../../../testing/pushService.ts'
import type { Delivery, Message, PushTarget } from '../../ports/messenger.ts'
import { createHandClock } from '../../testing/handClock.ts'
import { createPushSigner } from '../keyring/pushSigner.ts'
import { createMessenger } from './messenger.ts'
import { encryptPush, isPushKey } from './pushEncryption.ts'

const fromText = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

describe('the encryption for a browser', () => {
  it('gives the bytes of RFC 8291, appendix A', () => {
    const body = encryptPush(new TextEncoder().encode('When I grow up, I want to be a watermelon'), {
      p256dh: fromText('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
      auth: fromText('BTBZMqHH6r4Tts7J_aSIgg'),
      paddedBytes: 0,
      choice: {
        salt: fromText('DGv6ra1nlYgDCS1FRnbzlw'),
        privateKey: fromText('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
      },
    })
    assert.equal(
      Buffer.from(body).toString('base64url'),
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    )
  })

  it('is for points of the curve alone', () => {
    const point = createPushSigner(randomBytes(32)).publicKey
    assert.ok(isPushKey(point))
    const hybrid = Uint8Array.from(point)
    hybrid[0] = 6 + ((point[64] ?? 0) & 1)
    const off = Uint8Array.from(point)
    off[64] = (off[64] ?? 0) ^ 1
    for (const wrong of [hybrid, off, new Uint8Array(65), point.subarray(0, 64)]) assert.ok(!isPushKey(wrong))
  })
})

const signer = createPushSigner(randomBytes(32))
const never = new AbortController().signal
const now = instantOf(Date.now())
const landings: Message = {
  messageId: 'msg_0123456789abcdef0123456789abcdef',
  about: 'landings',
  count: 3,
  isNearlyFull: false,
  isRefused: false,
  firstAt: instantOf(Date.UTC(2026, 5, 1, 10, 2)),
  lastAt: instantOf(Date.UTC(2026, 5, 1, 10, 5)),
}

interface Given {
  readonly serverId?: string
  readonly networks?: readonly string[]
  readonly message?: Message
}

function send(subscription: TestSubscription, given: Given = {}): Promise<Delivery> {
  const { serverId = 'https://keep.example', networks = ['127.0.0.1'], message = landings } = given
  const messenger = createMessenger(
    { clock: createHandClock(now), pushSigner: signer, ca: PUSH_CERTIFICATE },
    { offered: ['push'], networks, serverId, mail: undefined },
  )
  const { endpoint: url, p256dh, auth } = subscription
  const target: PushTarget = { kind: 'push', url, p256dh, auth }
  return messenger.send(target, message, never)
}

function withService(work: (service: PushService) => Promise<void>): () => Promise<void> {
  return async () => {
    const service = await openPushService()
    try {
      await work(service)
    } finally {
      await service.close()
    }
  }
}

describe('a message to a browser', () => {
  const key = Buffer.from(signer.publicKey).toString('base64url')

  it(
    'says how many, when, and the server’s host, to the browser alone, and is of one size',
    withService(async (service) => {
      const browser = service.subscribe(key)
      assert.equal(await send(browser), 'sent')
      assert.equal(await send(browser, { message: { messageId: 'msg_a-b', about: 'test' } }), 'sent')
      assert.deepEqual(service.refused, [])
      const [message, test] = service.received
      assert.ok(message && test)
      assert.deepEqual(JSON.parse(message.text), {
        about: 'landings',
        id: landings.messageId,
        count: 3,
        last_at: '2026-06-01T10:05:00.000Z',
        server: 'keep.example',
      })
      assert.deepEqual(JSON.parse(test.text), { about: 'test', id: 'msg_a-b', server: 'keep.example' })
      assert.equal(message.bodyBytes, test.bodyBytes, 'the size says nothing')
      const { ttl, urgency, topic } = message.headers
      assert.deepEqual([ttl, urgency, topic], ['604800', 'normal', '0123456789abcdef0123456789abcdef'])
      assert.deepEqual([test.headers.urgency, test.headers.topic], ['high', 'ab'])
      assert.deepEqual(message.claims, {
        aud: service.origin,
        exp: Math.floor(now / 1000) + 12 * 3600,
        sub: 'https://keep.example',
      })
    }),
  )

  it(
    'names no contact that a push service would refuse',
    withService(async (service) => {
      assert.equal(await send(service.subscribe(key), { serverId: 'http://127.0.0.1:8080' }), 'sent')
      assert.equal(service.received[0]?.claims.sub, undefined)
    }),
  )

  it(
    'finds nothing where the subscription is over or unknown, and is rejected where it is another server’s',
    withService(async (service) => {
      const browser = service.subscribe(key)
      service.unsubscribe(browser.endpoint)
      assert.deepEqual(await send(browser), { fault: 'no_longer_there' })
      const unknown = { ...browser, endpoint: `${service.origin}/push/unknown` }
      assert.deepEqual(await send(unknown), { fault: 'no_longer_there' })
      const other = Buffer.from(createPushSigner(randomBytes(32)).publicKey).toString('base64url')
      assert.deepEqual(await send(service.subscribe(other)), { fault: 'rejected' })
      service.answer = 503
      assert.deepEqual(await send(service.subscribe(key)), { fault: 'receiver_failed' })
      assert.match(service.refused.join(), /^Error: the subscription is for another server$/)
    }),
  )

  it(
    'does not lead into the operator’s network',
    withService(async (service) => {
      assert.deepEqual(await send(service.subscribe(key), { networks: [] }), { fault: 'address_refused' })
      assert.equal(service.received.length, 0)
    }),
  )
})

describe('the key with which the server signs', () => {
  it('is the same for the same master secret, and another one for another', () => {
    const secret = randomBytes(32)
    const [one, same, other] = [secret, secret, randomBytes(32)].map((each) => createPushSigner(each).publicKey)
    assert.deepEqual(one, same)
    assert.notDeepEqual(one, other)
    assert.ok(one && isPushKey(one))
  })
})

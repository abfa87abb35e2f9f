import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseChannelId } from '@blindkeep/protocol/ids'
import type { ChannelKind } from '@blindkeep/protocol/schemas/channels'
import { type MailReceiver, openMailReceiver } from '../../../../../testing/receivers.ts'
import { createMessenger } from '../../adapters/messenger/messenger.ts'
import { append, bytes, newLink, notRefused, openDrop, ownerOf } from '../../testing/guest.ts'
import { beginDeletion, defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { QUIET_SECONDS } from './attempt.ts'
import { MAX_CHANNELS } from './channels.ts'
import { MAX_WRONG_CODES } from './requestedMessages.ts'
import {
  createSendingLimits,
  MAX_CODES_OF_MAILBOX,
  MAX_MESSAGES_OF_ADDRESS,
  MAX_MESSAGES_OF_HOST,
  MAX_REQUESTED_OF_ACCOUNT,
} from './sendingLimits.ts'

function rulesWith(world: World, offered: readonly ChannelKind[], mail?: MailReceiver) {
  const { clock, keyring, settings } = world
  const server = mail && {
    host: '127.0.0.1',
    port: mail.port,
    isTls: false,
    isLoopback: true,
    from: 'keep@keep.example',
  }
  const messenger = createMessenger(
    // No name is known: no test waits for a network.
    { clock, pushSigner: keyring.pushSigner, resolve: async () => [] },
    {
      offered,
      networks: [],
      serverId: settings.serverId,
      mail: server && { ...server, user: undefined, password: undefined },
    },
  )
  return world.rulesOver({ messenger })
}

const webhook = { kind: 'webhook', address: 'https://hooks.example/path?key=secret', token: undefined } as const
const email = { kind: 'email', address: ' Owner@Example.org ', token: undefined } as const

function withMail(work: (world: World, mail: MailReceiver) => Promise<void>): () => Promise<void> {
  return inWorld(async (world) => {
    const mail = await openMailReceiver()
    try {
      await work(world, mail)
    } finally {
      await mail.close()
    }
  })
}

const codesIn = ({ received }: MailReceiver) =>
  received.map(({ text }) => /The code for this address is (\d{8})\./.exec(text)?.[1])

describe('channels', () => {
  it(
    'are added, listed without their secrets, and removed',
    inWorld(async (world) => {
      const { channels } = rulesWith(world, ['webhook', 'ntfy'])
      const [accountId, other] = [await newAccount(world), await newAccount(world)]
      const added = notRefused(await channels.add(accountId, webhook))
      assert.equal(added.secret?.length, 32)
      const ntfy = { kind: 'ntfy', address: 'https://ntfy.example/topic', token: 'tk_1' } as const
      assert.equal(notRefused(await channels.add(accountId, ntfy)).secret, undefined)
      const listed = await channels.list(accountId)
      assert.deepEqual(
        listed.map(({ shown, channel }) => [shown, channel.state]),
        [
          ['hooks.example', 'active'],
          ['ntfy.example', 'active'],
        ],
      )
      const rows = listed.map(({ channel }) => Buffer.from(channel.sealedTarget).toString('latin1')).join()
      for (const secret of ['key=secret', 'topic', 'tk_1', 'hooks.example']) assert.ok(!rows.includes(secret), secret)
      const { channelId } = added.channel
      await channels.remove(other, channelId)
      assert.deepEqual(await channels.test(other, channelId), { refused: 'channel_not_found' })
      assert.equal((await channels.list(accountId)).length, 2)
      await channels.remove(accountId, channelId)
      assert.deepEqual(await channels.test(accountId, channelId), { refused: 'channel_not_found' })
    }),
  )

  it(
    'are refused when the kind is not offered, the address is not one, or there are too many',
    inWorld(async (world) => {
      const accountId = await newAccount(world)
      const { channels: none } = rulesWith(world, [])
      assert.deepEqual(await none.add(accountId, webhook), { refused: 'channel_not_offered' })
      const { channels } = rulesWith(world, ['webhook', 'email'])
      const reasonOf = async (request: Parameters<typeof channels.add>[1]) => {
        const answer = await channels.add(accountId, request)
        return 'refused' in answer ? answer.refused : 'added'
      }
      assert.equal(await reasonOf({ ...webhook, address: 'https://a:b@hooks.example/' }), 'channel_invalid')
      assert.equal(await reasonOf({ ...webhook, address: 'https://10.0.0.1/' }), 'channel_invalid')
      assert.equal(await reasonOf({ ...webhook, token: 'x' }), 'channel_invalid')
      assert.equal(await reasonOf({ ...email, address: 'a@b@c\nBcc: d@e' }), 'channel_invalid')
      for (let channel = 0; channel < MAX_CHANNELS; channel += 1) assert.equal(await reasonOf(webhook), 'added')
      assert.equal(await reasonOf(webhook), 'limit_reached')
    }),
  )

  it(
    'limits the tests of an account',
    inWorld(async (world) => {
      const { channels } = rulesWith(world, ['webhook'])
      const accountId = await newAccount(world)
      const added = notRefused(await channels.add(accountId, webhook))
      for (let test = 0; test < MAX_REQUESTED_OF_ACCOUNT; test += 1)
        assert.deepEqual(await channels.test(accountId, added.channel.channelId), { fault: 'address_refused' })
      const answer = await channels.test(accountId, added.channel.channelId)
      assert.equal('refused' in answer && answer.refused, 'channel_limited')
    }),
  )

  it(
    'end with their account',
    inWorld(async (world) => {
      const { channels } = rulesWith(world, ['webhook'])
      const accountId = await newAccount(world)
      await channels.add(accountId, webhook)
      await beginDeletion(world, accountId)
      assert.deepEqual(await channels.list(accountId), [])
      assert.deepEqual(await channels.add(accountId, webhook), { refused: 'session_over' })
    }),
  )
})

describe('an e-mail address', () => {
  it(
    'gets one message with a code, and messages only after the code was entered',
    withMail(async (world, mail) => {
      const rules = rulesWith(world, ['email'], mail)
      const opaqueId = await newLink(world)
      const accountId = await ownerOf(world, opaqueId)
      const land = async () => {
        const content = bytes(50)
        const uploadId = await openDrop(world, opaqueId, content)
        notRefused(await append({ ...world, rules }, uploadId, { offset: 0, bytes: content }))
        world.clock.advance(QUIET_SECONDS)
        await rules.notifier.tend(new AbortController().signal)
        await rules.notifier.isIdle()
      }
      const { channel, shown } = notRefused(await rules.channels.add(accountId, email))
      assert.deepEqual([channel.state, shown, mail.received[0]?.to], ['unconfirmed', 'owner@example.org', [shown]])
      await land()
      assert.equal(mail.received.length, 1)
      const [code = ''] = codesIn(mail)
      const wrong = code === '00000000' ? '00000001' : '00000000'
      const confirm = (given: string) => rules.channels.confirm(accountId, channel.channelId, given)
      assert.deepEqual(await confirm(wrong), { refused: 'channel_code_wrong' })
      assert.equal(notRefused(await confirm(code)).channel.state, 'active')
      await land()
      assert.match(mail.received[1]?.text ?? '', /2 files have arrived/)
    }),
  )

  it(
    'gets nothing by a test before its code was entered, and a code is guessed at most ten times in a quarter of an hour',
    withMail(async (world, mail) => {
      const { channels } = rulesWith(world, ['email'], mail)
      const accountId = await newAccount(world)
      const { channel } = notRefused(await channels.add(accountId, email))
      for (let test = 0; test <= MAX_REQUESTED_OF_ACCOUNT; test += 1)
        assert.deepEqual(await channels.test(accountId, channel.channelId), { fault: 'unconfirmed' })
      const [one = '', ...more] = codesIn(mail)
      assert.deepEqual(more, [])
      assert.equal((await channels.list(accountId))[0]?.channel.state, 'unconfirmed', 'a test confirms nothing')
      const wrong = one === '00000000' ? '00000001' : '00000000'
      for (let guess = 0; guess < MAX_WRONG_CODES; guess += 1)
        assert.deepEqual(await channels.confirm(accountId, channel.channelId, wrong), { refused: 'channel_code_wrong' })
      const right = await channels.confirm(accountId, channel.channelId, one)
      assert.equal('refused' in right && right.refused, 'channel_limited')
      const unknown = defined(parseChannelId('00000000-0000-4000-8000-000000000000'))
      assert.deepEqual(await channels.confirm(accountId, unknown, one), { refused: 'channel_not_found' })
    }),
  )

  it(
    'gets few codes a day, however it is spelt, from however many accounts',
    withMail(async (world, mail) => {
      const { channels } = rulesWith(world, ['email'], mail)
      const spellings = ['victim@example.org', 'Victim+1@Example.org', 'vic.tim@example.org', 'v.i.ctim+2@example.org']
      for (let round = 0; round < 3; round += 1)
        for (const address of spellings) {
          const accountId = await newAccount(world)
          const added = await channels.add(accountId, { ...email, address })
          if (!('refused' in added)) await channels.remove(accountId, added.channel.channelId)
          else assert.equal(added.refused, 'channel_limited')
        }
      assert.equal(mail.received.length, MAX_CODES_OF_MAILBOX)
      notRefused(await channels.add(await newAccount(world), { ...email, address: 'other@example.org' }))
      world.clock.advance(86_400)
      notRefused(await channels.add(await newAccount(world), { ...email, address: 'victim@example.org' }))
    }),
  )
})

describe('an address that many accounts name', () => {
  it(
    'gets at most ten messages a minute from all of them',
    inWorld(async (world) => {
      const { channels } = rulesWith(world, ['webhook'])
      const test = async (query: number) => {
        const accountId = await newAccount(world)
        const address = `https://hooks.example/path/?key=${query}`
        const { channel } = notRefused(await channels.add(accountId, { ...webhook, address }))
        const tested = await channels.test(accountId, channel.channelId)
        return 'refused' in tested ? tested.refused : 'sent'
      }
      for (let count = 0; count < MAX_MESSAGES_OF_ADDRESS; count += 1) assert.equal(await test(count), 'sent')
      assert.equal(await test(99), 'channel_limited')
      world.clock.advance(60)
      assert.equal(await test(99), 'sent')
    }),
  )
})

describe('a host that many accounts name', () => {
  it(
    'gets at most 150 messages a minute at all its addresses, and other hosts theirs',
    inWorld(async (world) => {
      const limits = createSendingLimits(world)
      const test = async (host: string, path: number) => {
        const url = `https://${host}/${path}`
        return limits.test(await newAccount(world), { kind: 'webhook', url, secret: new Uint8Array() })
      }
      for (let path = 0; path < MAX_MESSAGES_OF_HOST; path += 1)
        assert.equal(await test(path % 2 === 0 ? 'hooks.example' : 'HOOKS.example.', path), undefined)
      assert.equal(await test('hooks.example', 999), 60)
      assert.equal(await test('other.example', 999), undefined)
      world.clock.advance(60)
      assert.equal(await test('hooks.example', 999), undefined)
    }),
  )
})

/** Channels at the command line, with a real receiver. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { changeBody, isRequest } from '../../../../testing/maliciousServer.ts'
import { openReceiver } from '../../../../testing/receivers.ts'
import { openWorld } from '../testing/world.ts'

const world = await openWorld({ NOTIFY: 'webhook', NOTIFY_NETWORKS: '127.0.0.1' })
const receiver = await openReceiver()
after(() => receiver.close())
await world.signUp('ada')
const ADA = ['--profile', 'ada']
const address = `http://127.0.0.1:${receiver.port}/hook`

describe('channels at the command line', () => {
  it('are added from a file or the environment, tested, listed and removed', async () => {
    const file = join(world.root, 'address')
    await writeFile(file, `${address}\n`)
    const plain = await world.run(['notify', 'add', 'webhook', '--address-file', file, ...ADA])
    assert.equal(plain.status, 0, plain.stderr)
    assert.match(plain.stdout, /^whsec_[A-Za-z0-9+/]{43}=\n$/)
    const env = { BLINDKEEP_CHANNEL_ADDRESS: address }
    const [added] = await world.facts(['notify', 'add', 'webhook', '--name', 'The archive', ...ADA], { env })
    assert.deepEqual(
      [added.event, added.state, added.to, added.name],
      ['added', 'active', `127.0.0.1:${receiver.port}`, 'The archive'],
    )

    const tested = await world.run(['notify', 'test', added.channel_id.slice(0, 8), ...ADA])
    assert.equal(tested.status, 0, tested.stderr)
    receiver.answer = 500
    const failed = await world.run(['notify', 'test', added.channel_id, ...ADA])
    assert.equal(failed.status, 1)
    assert.match(failed.stderr, /did not arrive: the receiver has a fault/)
    assert.ok(!failed.stderr.includes('words of the receiver'))

    const facts = await world.facts(['notify', 'list', ...ADA])
    assert.deepEqual(
      facts.map(({ kind, state }) => [kind, state]),
      [
        ['webhook', 'active'],
        ['webhook', 'active'],
      ],
    )
    assert.ok(!JSON.stringify(facts).includes('/hook'))
    const swap = changeBody((body) => {
      assert.ok(Array.isArray(body.channels))
      const [one, other] = body.channels
      ;[one.sealed_name, other.sealed_name] = [other.sealed_name, one.sealed_name]
    })
    world.proxy.tamper({ matches: isRequest('GET', /^\/v1\/channels$/), answer: swap })
    const lied = await world.run(['notify', 'list', ...ADA])
    world.proxy.tamper()
    assert.equal(lied.status, 3)
    assert.ok(!lied.stdout.includes('The archive'))
    assert.match(lied.stderr, /name of the channel \w{8} that this account did not give it/)
    assert.equal((await world.run(['notify', 'remove', 'The archive', '--yes', ...ADA])).status, 0)
    assert.equal((await world.facts(['notify', 'list', ...ADA])).length, 1)
  })

  it('have a secret that is printed only if it is one, whatever the server says', async () => {
    const env = { BLINDKEEP_CHANNEL_ADDRESS: address }
    const lies: readonly ((body: Record<string, unknown>) => void)[] = [
      (body) => {
        body.secret = '\u001b]0;x\u0007whsec_AAAA'
      },
      (body) => {
        ;(body.channel as Record<string, unknown>).shown = '\u009b2Jexample.org'
      },
    ]
    for (const lie of lies) {
      world.proxy.tamper({ matches: isRequest('POST', /^\/v1\/channels$/), answer: changeBody(lie) })
      const { status, stdout, stderr } = await world.run(['notify', 'add', 'webhook', ...ADA], { env })
      world.proxy.tamper()
      assert.deepEqual([status, stdout], [3, ''], stderr)
      assert.doesNotMatch(stderr, /(?!\n)\p{Cc}/u)
    }
  })

  it('say what is wrong: no address, a kind that the server does not offer, a code for nothing', async () => {
    const none = await world.run(['notify', 'add', 'webhook', ...ADA])
    assert.deepEqual([none.status, /--address-file or BLINDKEEP_CHANNEL_ADDRESS/.test(none.stderr)], [2, true])
    const env = { BLINDKEEP_CHANNEL_ADDRESS: 'owner@example.org' }
    const mail = await world.run(['notify', 'add', 'email', ...ADA], { env })
    assert.equal(mail.status, 1)
    assert.match(mail.stderr, /does not offer this kind/)
    const confirmed = await world.run(['notify', 'confirm', '0000', '01234567', ...ADA])
    assert.equal(confirmed.status, 1)
    assert.match(confirmed.stderr, /There is no channel 0000\. Call: blindkeep notify list/)
  })
})

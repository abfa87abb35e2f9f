import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createAuthenticator } from '../../../../testing/authenticator.ts'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import { PUSH_CERTIFICATE, PUSH_CERTIFICATE_KEY } from '../../../../testing/pushCertificate.ts'
import type { Message } from '../../../../testing/tamperingProxy.ts'
import { fillDisk, noSmallDisk, onSmallDisk } from '../testing/smallDisk.ts'
import { openSharedWorld, PASSWORD } from '../testing/world.ts'

const world = await openSharedWorld()

const withPassword = (password: string = PASSWORD) => ({ env: { BLINDKEEP_PASSWORD: password } })
const home = (...path: readonly string[]) => join(world.root, 'home', ...path)

describe('an account at the command line', () => {
  it('is registered, and its words bring it back without the password', async () => {
    const { url } = world.proxy
    const words = join(world.root, 'words')
    const args = ['register', url, '--email', 'Ada@example.org', '--profile', 'ada', '--words-to', words]
    const [registered] = await world.facts(args, withPassword())
    assert.deepEqual(
      [registered.event, registered.email, registered.server, registered.recovery_words_file],
      ['registered', 'ada@example.org', url, words],
    )
    assert.equal((await readFile(words, 'utf8')).trim().split(' ').length, 24)
    assert.equal((await stat(words)).mode & 0o777, 0o600)

    const recovering = ['recover', url, '--email', 'ada@example.org', '--profile', 'elsewhere', '--words-file', words]
    const [recovered] = await world.facts(recovering, withPassword('another long password'))
    assert.equal(recovered.account_id, registered.account_id)
    // The recovery ended the session of the other profile.
    const over = await world.run(['whoami', '--profile', 'ada'])
    assert.equal(over.status, 1)
    assert.match(over.stderr, /The session is over.*blindkeep login/)
    const again = ['login', '--email', 'ada@example.org', '--profile', 'ada']
    assert.equal((await world.run(again, withPassword())).status, 1)
    await world.facts(again, withPassword('another long password'))
  })

  it('gets new words with the password, is reminded until they are confirmed, and the old ones end', async () => {
    const { url } = world.proxy
    const [first, second] = [join(world.root, 'first'), join(world.root, 'second')]
    const of = ['--profile', 'wanda']
    await world.facts(['register', url, '--email', 'wanda@example.org', ...of, '--words-to', first], withPassword())
    assert.match((await world.run(['whoami', ...of])).stderr, /not confirmed.*confirm-words.*recovery-words/)
    await world.facts(['account', 'confirm-words', ...of, '--words-file', first])
    const [confirmed] = await world.facts(['whoami', ...of])
    assert.equal(confirmed.recovery_words, 'confirmed')
    assert.equal((await world.run(['whoami', ...of])).stderr, '')

    for (const more of [[], ['--json']]) {
      const refused = await world.run(['account', 'recovery-words', ...of, ...more], withPassword())
      assert.deepEqual([refused.status, /--words-to/.test(refused.stderr)], [2, true], 'no terminal')
    }
    const change = ['account', 'recovery-words', ...of, '--words-to', second]
    assert.notEqual((await world.run(change, withPassword('a wrong password'))).status, 0)
    world.proxy.tamper({ matches: ({ path }) => path === '/v1/auth/recovery-words', lose: 'request', times: 2 })
    assert.match((await world.run(change, withPassword())).stderr, /former recovery words are valid/)
    world.proxy.tamper({ matches: ({ path }) => path === '/v1/auth/recovery-words', lose: 'answer', times: 2 })
    const [changed] = await world.facts(change, withPassword())
    assert.deepEqual(changed, {
      event: 'recovery_words_changed',
      email: 'wanda@example.org',
      recovery_words_file: second,
    })
    assert.equal((await stat(second)).mode & 0o777, 0o600)
    const old = await world.run(['account', 'confirm-words', ...of, '--words-file', first])
    assert.notEqual(old.status, 0)
    const login = ['login', url, '--email', 'wanda@example.org', '--profile', 'wanda2']
    assert.match((await world.run(login, withPassword())).stderr, /not confirmed/)
    await world.facts(['account', 'confirm-words', ...of, '--words-file', second])

    // The folder of the words becomes unusable while the server takes them.
    const folder = join(world.root, 'removable')
    const spoilt = (path: RegExp) => ({
      matches: isRequest('POST', path),
      times: 1,
      answer: (message: Message) => {
        assert.ok(statSync(join(folder, 'words')).size >= 216, 'a full disk shows before')
        rmSync(folder, { recursive: true })
        writeFileSync(folder, '')
        return message
      },
    })
    const into = ['--words-to', join(folder, 'words')]
    world.proxy.tamper(spoilt(/^\/v1\/auth\/recovery-words$/))
    const there = await world.run(['account', 'recovery-words', ...of, '--words-to', second], withPassword())
    assert.match(there.stderr, /second exists already/)
    const unwritten = await world.run(['account', 'recovery-words', ...of, ...into], withPassword())
    assert.equal(unwritten.status, 1)
    assert.match(unwritten.stderr, /former recovery words open nothing any more.*Call this again/)
    await rm(folder)
    world.proxy.tamper(spoilt(/^\/v1\/auth\/register$/))
    const other = ['register', url, '--email', 'wendy@example.org', '--profile', 'wendy', ...into]
    assert.match((await world.run(other, withPassword())).stderr, /account exists.*blindkeep login.*recovery-words/)
  })

  it('gets new words on a disk that fills up meanwhile', { skip: noSmallDisk }, async () => {
    await world.register('dora')
    const folder = join(world.root, 'small')
    await onSmallDisk(folder, async () => {
      const matches = isRequest('POST', /^\/v1\/auth\/recovery-words$/)
      world.proxy.tamper({ matches, times: 1, cut: { afterBytes: 0, meanwhile: () => fillDisk(folder) } })
      const words = join(folder, 'words')
      const args = ['account', 'recovery-words', '--profile', 'dora', '--words-to', words]
      await world.facts(args, withPassword())
      await assert.rejects(writeFile(join(folder, 'more'), 'x'), { code: 'ENOSPC' })
      await world.facts(['account', 'confirm-words', '--profile', 'dora', '--words-file', words])
    })
  })

  it('says after a recovery that was cut off whether the new password is valid, or may be', async () => {
    await world.register('rita')
    const words = join(world.root, 'of rita')
    const of = ['--profile', 'rita']
    await world.facts(['account', 'recovery-words', ...of, '--words-to', words], withPassword())
    await world.run(['logout', ...of])
    const args = ['recover', world.proxy.url, '--email', 'rita@example.org', ...of, '--words-file', words]
    const recover = () => world.run(args, withPassword('another long password'))
    const finish = isRequest('POST', /^\/v1\/auth\/recover\/finish$/)
    world.proxy.tamper({ matches: finish, lose: 'answer', times: 2 })
    assert.match((await recover()).stderr, /new password is set if the server got the request.*words stay valid/)
    world.proxy.tamper({ matches: isRequest('POST', /^\/v1\/devices$/), lose: 'request' })
    assert.match((await recover()).stderr, /new password is set\. .*blindkeep login/)
    world.proxy.tamper({ matches: finish, lose: 'answer', times: 1 })
    assert.equal((await recover()).status, 0)
    world.proxy.tamper()
  })

  it('keeps its keys where only this user may read them, and none after a sign-out', async () => {
    await world.register('keys')
    const directory = home('profiles', 'keys')
    const modes = await Promise.all(
      (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).mode & 0o777),
    )
    assert.ok(modes.length >= 3 && modes.every((mode) => mode === 0o600))
    const [before] = await world.facts(['whoami', '--profile', 'keys'])
    const { accountKey } = JSON.parse(await readFile(join(directory, 'account.json'), 'utf8'))
    const [out] = await world.facts(['logout', '--profile', 'keys'])
    assert.deepEqual(out, { event: 'signed_out', email: 'keys@example.org', heard_by_server: true })
    for (const name of await readdir(directory))
      assert.ok(!(await readFile(join(directory, name), 'utf8')).includes(accountKey))
    const without = await world.run(['whoami', '--profile', 'keys'])
    assert.equal(without.status, 1)
    assert.match(without.stderr, /No account is signed in in the profile keys/)
    const elsewhere = await world.run(
      ['login', 'http://127.0.0.1:9', '--email', 'a@b.c', '--profile', 'keys'],
      withPassword(),
    )
    assert.match(elsewhere.stderr, /The profile keys was signed in at \S+ before, and \S+:9 is another server/)
    const nowhere = await world.run(['login', 'localhost:9', '--profile', 'keys'])
    assert.doesNotMatch(nowhere.stderr, /another server/)
    // The device that signs is the same after the next sign-in.
    await world.facts(['login', '--email', 'keys@example.org', '--profile', 'keys'], withPassword())
    const [after] = await world.facts(['whoami', '--profile', 'keys'])
    assert.equal(after.device_id, before.device_id)
  })

  it('signs out here also when the server cannot be reached, or does not do what is asked', async () => {
    for (const [profile, how] of [
      ['offline', { lose: 'request' }],
      ['away', { instead: 502 }],
      ['refused', { instead: 403 }],
    ] as const) {
      await world.signUp(profile)
      world.proxy.tamper({ matches: () => true, ...how })
      const outcome = await world.run(['logout', '--profile', profile])
      world.proxy.tamper()
      assert.equal(outcome.status, 0, outcome.stderr)
      assert.match(outcome.stdout, /signed out here\. The server did not confirm it/)
      assert.deepEqual(await readdir(home('profiles', profile)), ['device.json'])
    }
  })

  it('gets a new device at the sign-in after its device was revoked', async () => {
    const owner = await world.register('revoked')
    const [{ device_id: before }] = await world.facts(['whoami', '--profile', 'revoked'])
    await owner.revokeDevice(before)
    assert.match((await world.run(['whoami', '--profile', 'revoked'])).stderr, /The session is over/)
    await world.facts(['login', '--email', 'revoked@example.org', '--profile', 'revoked'], withPassword())
    const [{ device_id: after }] = await world.facts(['whoami', '--profile', 'revoked'])
    assert.notEqual(after, before)

    await owner.createAlbum({ name: 'Kept' })
    const path = home('profiles', 'revoked', 'device.json')
    const kept = JSON.parse(await readFile(path, 'utf8'))
    await writeFile(path, JSON.stringify({ ...kept, sealed: kept.sealed.replace(/^.{8}/, 'AAAAAAAA') }))
    const put = await world.run(['upload', path, '--album', 'Kept', '--profile', 'revoked'])
    assert.deepEqual([put.status, /damaged on this machine.*login/.test(put.stderr)], [1, true], put.stderr)
    await world.run(['logout', '--profile', 'revoked'])
    await world.facts(['login', '--email', 'revoked@example.org', '--profile', 'revoked'], withPassword())
    const [{ device_id: third }] = await world.facts(['whoami', '--profile', 'revoked'])
    assert.notEqual(third, after)
  })

  it('signs in to a suspended account, which can read, and adds the device at a sign-in after that', async () => {
    await world.register('paused')
    const login = ['login', world.proxy.url, '--email', 'paused@example.org', '--profile', 'second-machine']
    assert.equal((await world.server.command(['account', 'suspend', 'paused@example.org'])).status, 0)
    await world.facts(login, withPassword())
    assert.equal((await world.server.command(['account', 'resume', 'paused@example.org'])).status, 0)
    await world.run(['logout', '--profile', 'second-machine'])
    await world.facts(login, withPassword())
    const devices = await world.facts(['devices', 'list', '--profile', 'second-machine'])
    assert.ok(devices.some(({ is_this_profile, state }) => is_this_profile && state === 'live'))
  })

  it('asks for the second factor', async () => {
    const owner = await world.register('second')
    const authenticator = createAuthenticator(await owner.enrollSecondFactor({ password: PASSWORD }))
    await owner.confirmSecondFactor(authenticator.next())
    await world.run(['logout', '--profile', 'second'])
    const args = ['login', '--email', 'second@example.org', '--profile', 'second']
    const without = await world.run(args, withPassword())
    assert.equal(without.status, 2)
    assert.match(without.stderr, /--code-file or BLINDKEEP_CODE/)
    const code = join(world.root, 'code')
    await writeFile(code, `${authenticator.next()}\n`)
    const [signedIn] = await world.facts([...args, '--code-file', code], withPassword())
    assert.equal(signedIn.event, 'signed_in')
  })

  it('stays signed in when many processes renew its session at the same moment', async () => {
    await world.signUp('many')
    const path = home('profiles', 'many', 'tokens.json')
    const before = world.proxy.seen.length
    for (let round = 0; round < 2; round += 1) {
      // No server accepts it, as if its time were over.
      const tokens = JSON.parse(await readFile(path, 'utf8'))
      await writeFile(path, JSON.stringify({ ...tokens, accessToken: `${tokens.accessToken}x` }))
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => world.run(['quota', '--profile', 'many'])))
      assert.deepEqual(
        outcomes.map(({ status, stderr }) => [status, stderr]),
        outcomes.map(() => [0, '']),
      )
    }
    const renewals = world.proxy.seen.slice(before).filter(({ path }) => path === '/v1/auth/refresh').length
    assert.equal(renewals, 2)
  })

  it('names the variable for an own authority, where a certificate is of one that Node does not know', async () => {
    const server = createServer({ cert: PUSH_CERTIFICATE, key: PUSH_CERTIFICATE_KEY }, (_, answer) => answer.end())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    try {
      const address = server.address()
      assert.ok(address !== null && typeof address !== 'string')
      const to = `https://127.0.0.1:${address.port}`
      for (const args of [
        ['login', to, '--email', 'x@example.org', '--profile', 'y'],
        ['move', to, '--profile', 'y'],
      ]) {
        const { status, stderr } = await world.run(args, withPassword())
        assert.equal(status, 1, stderr)
        assert.match(stderr, /authority.*export NODE_EXTRA_CA_CERTS=/)
      }
    } finally {
      server.close()
    }
  })

  it('sends no proof to a server that calls itself by another address, and exits with 3', async () => {
    // Not a loopback address by its name, so the server has no right to another name.
    const address = world.proxy.url.replace('127.0.0.1', '0.0.0.0')
    world.proxy.tamper({
      matches: () => true,
      request: ({ headers, body }) => ({ headers: { ...headers, host: new URL(world.proxy.url).host }, body }),
    })
    const before = world.proxy.seen.length
    const outcome = await world.run(['login', address, '--email', 'x@example.org', '--profile', 'x'], withPassword())
    world.proxy.tamper()
    assert.equal(outcome.status, 3, outcome.stderr)
    assert.match(outcome.stderr, /says that it is http:\/\/127\.0\.0\.1/)
    assert.deepEqual(
      world.proxy.seen.slice(before).filter(({ path }) => path.startsWith('/v1/auth/login')),
      [],
    )
  })

  it('says what to do after each wrong call', async () => {
    const { email: taken } = await world.signUp('wrong')
    const { url } = world.proxy
    const calls = [
      { args: ['whoami', '--profile', '../x'], status: 2, says: /name of a profile/ },
      { args: ['whoami', '--profile', 'unknown'], status: 1, says: /blindkeep login SERVER --profile unknown/ },
      { args: ['login', '--profile', 'unknown'], status: 1, says: /blindkeep login SERVER/ },
      {
        args: ['login', 'example', '--profile', 'unknown', '--email', 'a@example.org'],
        status: 1,
        says: /not an http.*as in https:/,
      },
      {
        args: ['login', `${url}/no`, '--profile', 'unknown', '--email', 'a@example.org'],
        status: 1,
        says: /nothing at/,
      },
      {
        args: ['login', 'http://127.0.0.1:9', '--profile', 'unknown', '--email', 'a@example.org'],
        status: 1,
        says: /Check its address and your network/,
      },
      { args: ['register', url, '--profile', 'wrong'], status: 1, says: /blindkeep logout/ },
      { args: ['register', url, '--profile', 'unknown'], status: 2, says: /--email/ },
      {
        args: ['register', url, '--profile', 'unknown', '--email', taken],
        status: 1,
        says: /blindkeep login/,
      },
      {
        args: ['register', url, '--profile', 'unknown', '--email', 'a b'],
        status: 1,
        says: /not a plain e-mail address/,
      },
    ]
    for (const { args, status, says } of calls) {
      const outcome = await world.run(args, withPassword())
      assert.deepEqual([outcome.status, says.test(outcome.stderr)], [status, true], `${args}: ${outcome.stderr}`)
      assert.ok(!/\n {4}at /.test(outcome.stderr))
    }
    const short = ['register', url, '--profile', 'unknown', '--email', 'short@example.org']
    assert.match((await world.run(short, withPassword('short'))).stderr, /7 more characters are needed/)
  })
})

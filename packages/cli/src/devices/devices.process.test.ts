/** Sessions and devices at the command line, and a server that lies about them. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import { devicesAnswer } from '../../../../testing/maliciousAssets.ts'
import { changeBody, flipInBase64, isRequest } from '../../../../testing/maliciousServer.ts'
import { openSharedWorld, PASSWORD } from '../testing/world.ts'

const world = await openSharedWorld()

/** Changes what the server says of one device. */
const lieAbout = (deviceId: string, lie: (device: Record<string, unknown>) => void) => ({
  matches: devicesAnswer,
  answer: changeBody((body) => {
    for (const device of body.devices as Record<string, unknown>[]) if (device.device_id === deviceId) lie(device)
  }),
})

describe('sessions at the command line', () => {
  it('are listed with their devices, and end', async () => {
    const other = await world.register('sessions')
    const profile = ['--profile', 'sessions']
    const [here, there] = await world.facts(['sessions', 'list', ...profile])
    const [{ device_id }] = await world.facts(['whoami', ...profile])
    assert.deepEqual([here.is_current, here.device_id], [true, device_id])
    assert.deepEqual([there.is_current, there.device_id], [false, undefined])
    assert.deepEqual([here.name, there.name], [`blindkeep on ${hostname()}`, undefined])
    await world.facts(['sessions', 'name', there.session_id, 'The old laptop', ...profile])
    const list = await world.run(['sessions', 'list', ...profile])
    assert.match(list.stdout, /The old laptop +none/)
    const swap = changeBody((body) => {
      assert.ok(Array.isArray(body.sessions))
      const [one, other] = body.sessions
      ;[one.sealed_name, other.sealed_name] = [other.sealed_name, one.sealed_name]
    })
    world.proxy.tamper({ matches: isRequest('GET', /^\/v1\/auth\/sessions$/), answer: swap })
    const lied = await world.run(['sessions', 'list', ...profile])
    world.proxy.tamper()
    assert.equal(lied.status, 3)
    assert.ok(!lied.stdout.includes('The old laptop'))
    assert.equal(lied.stderr.match(/name of the session \w{8} that this account did not give it/g)?.length, 2)
    assert.equal((await world.run(['sessions', 'end', there.session_id, ...profile])).status, 2)
    await world.facts(['sessions', 'end', 'The old laptop', '--yes', ...profile])
    await assert.rejects(other.account(), { code: 'error.auth.session_expired' })
    // The own one is a sign-out.
    const [out] = await world.facts(['sessions', 'end', here.session_id, '--yes', ...profile])
    assert.equal(out.event, 'signed_out')
    assert.match((await world.run(['whoami', ...profile])).stderr, /No account is signed in/)
    const login = ['login', world.proxy.url, '--email', 'sessions@example.org', '--name', 'Desk', ...profile]
    assert.equal((await world.run(login, { env: { BLINDKEEP_PASSWORD: PASSWORD } })).status, 0)
    const [again] = await world.facts(['sessions', 'list', ...profile])
    const [device] = await world.facts(['devices', 'list', ...profile])
    assert.deepEqual([again.name, device.name], ['Desk', 'Desk'])
    await world.facts(['devices', 'name', 'Desk', 'Cellar', ...profile])
    assert.match((await world.run(['devices', 'list', ...profile])).stdout, /Cellar/)
  })
})

describe('passkeys at the command line', () => {
  it('are listed, named and removed', async () => {
    const other = await world.register('passkeys')
    const profile = ['--profile', 'passkeys']
    assert.match((await world.run(['passkeys', 'list', ...profile])).stdout, /There are no passkeys/)
    for (const name of ['Phone', 'Security key']) {
      const { add } = await other.preparePasskey({ password: PASSWORD })
      await add({ credentialId: randomBytes(16), output: randomBytes(32), name })
    }
    const [phone, key] = await world.facts(['passkeys', 'list', ...profile])
    assert.deepEqual([phone.name, key.name, phone.last_used_at], ['Phone', 'Security key', undefined])
    assert.match((await world.run(['passkeys', 'list', ...profile])).stdout, /Security key +.* never/)
    await world.facts(['passkeys', 'name', 'Security key', 'Blue key', ...profile])
    assert.equal((await world.run(['passkeys', 'remove', 'Blue key', ...profile])).status, 2)
    const [gone] = await world.facts(['passkeys', 'remove', 'Blue key', '--yes', ...profile])
    assert.deepEqual([gone.event, gone.passkey_id], ['removed', key.passkey_id])
    world.proxy.tamper({
      matches: isRequest('GET', /^\/v1\/passkeys$/),
      answer: changeBody((body) => {
        for (const row of body.passkeys as Record<string, unknown>[])
          row.sealed_name = flipInBase64(row.sealed_name, 70)
      }),
    })
    const lied = await world.run(['passkeys', 'list', ...profile])
    world.proxy.tamper()
    assert.equal(lied.status, 3)
    assert.match(lied.stderr, /name of the passkey \w{8} that this account did not give it/)
  })
})

describe('devices at the command line', () => {
  it('are revoked, with which sessions go on and what was signed lately, and stay so if the server denies it', async () => {
    const other = await world.signUp('devices')
    const profile = ['--profile', 'devices']
    const { albumId: album } = await other.createAlbum()
    const device = await other.addDevice(undefined, { tie: false })
    const { assetId } = await other.upload({ source: sourceOfBytes(randomBytes(10)), album, device })
    const revoked = await world.facts(['devices', 'revoke', device.deviceId.slice(0, 8), '--yes', ...profile])
    assert.deepEqual(
      revoked.map(({ event }) => event),
      ['revoked', 'untied_session', 'signed_lately'],
    )
    const [, untied, lately] = revoked
    assert.equal(untied.is_current, false)
    assert.deepEqual(
      lately.signed.map(({ asset_id }: { asset_id: string }) => asset_id),
      [assetId],
    )
    assert.match((await world.run(['devices', 'revoke', device.deviceId, ...profile])).stdout, /revoked already/)

    world.proxy.tamper(lieAbout(device.deviceId, (entry) => delete entry.revoked_at))
    const denied = await world.run(['devices', 'list', ...profile])
    world.proxy.tamper()
    assert.equal(denied.status, 3, denied.stdout)
    assert.match(denied.stderr, /is revoked, but the server lists it as live/)
    const states = (await world.facts(['devices', 'list', ...profile])).map(({ state }) => state)
    assert.deepEqual(states, ['live', 'revoked'])
  })

  it('that are revoked leave files that are marked, and opened only with consent', async () => {
    const other = await world.signUp('marked')
    const profile = ['--profile', 'marked']
    const { albumId: album } = await other.createAlbum()
    const device = await other.addDevice(undefined, { tie: false })
    const { assetId } = await other.upload({
      source: sourceOfBytes(Buffer.from('kept')),
      name: 'kept.txt',
      album,
      device,
    })
    await world.run(['ls', ...profile])
    const said = await world.run(['devices', 'revoke', device.deviceId, '--yes', ...profile])
    assert.match(said.stdout, /marked from now on, and opens only with your consent/)
    for (const _ of ['from what was remembered', 'read again']) {
      const [listed] = await world.facts(['ls', ...profile])
      assert.deepEqual([listed.state, listed.name, listed.message], ['device_revoked', 'kept.txt', undefined])
      assert.ok(listed.signer_revoked_at)
      await rm(join(world.root, 'home', 'profiles', 'marked', `descriptions-${other.accountId}.json`))
    }
    assert.match((await world.run(['ls', ...profile])).stdout, /kept\.txt \(signed by a device that was revoked \d{4}-/)

    for (const to of [
      ['--to', 'marked'],
      ['-o', '-'],
    ]) {
      const unasked = await world.run(['get', 'kept.txt', ...to, ...profile])
      assert.deepEqual([unasked.status, unasked.stdout], [2, ''])
      assert.match(unasked.stderr, /kept\.txt, signed by a device that was revoked .* Add --yes/)
      const meant = await world.run(['get', 'kept.txt', ...to, '--yes', ...profile])
      assert.equal(meant.status, 0, meant.stderr)
      assert.match(meant.stdout, /^kept$|signed by a device that was revoked .* is saved/)
    }
    assert.match((await world.run(['rm', assetId, ...profile])).stderr, /kept\.txt \(4 B, signed by a device that was/)
    const verified = await world.run(['verify', ...profile])
    assert.equal(verified.status, 0, verified.stderr)
    assert.match(verified.stderr, /1 of them is signed by a device that was revoked/)
    const [held] = await world.facts(['verify', ...profile])
    assert.ok(held.signer_revoked_at)
  })

  it('that the account did not add are named, with exit 3', async () => {
    const other = await world.signUp('invented')
    const { deviceId } = await other.addDevice(undefined, { tie: false })
    world.proxy.tamper(
      lieAbout(deviceId, (entry) => {
        entry.mac = flipInBase64(entry.mac, 0)
      }),
    )
    const { status, stdout, stderr } = await world.run(['devices', 'list', '--profile', 'invented'])
    world.proxy.tamper()
    assert.equal(status, 3)
    assert.match(stdout, /may sign, this profile.*not shown to be yours/s)
    assert.match(stderr, /is not shown to be yours.* revoke it, and change your password.* the server lies/)
    const [{ device_id }] = await world.facts(['whoami', '--profile', 'invented'])
    world.proxy.tamper(lieAbout(device_id, (entry) => delete entry.mac))
    const hidden = await world.run(['devices', 'list', '--profile', 'invented'])
    world.proxy.tamper()
    assert.equal(hidden.status, 3)
    assert.match(hidden.stderr, /signs for this profile, and the server hides.* Do not revoke it/)
    assert.doesNotMatch(hidden.stderr, /change your password/)
  })

  it('of this profile sign it out when they are revoked, and may have done so when the answer is lost', async () => {
    const revokeOwn = async (profile: string) => {
      const [device] = await (await world.signUp(profile)).devices()
      assert.ok(device)
      return await world.run(['devices', 'revoke', device.deviceId, '--yes', '--profile', profile])
    }
    const { status, stderr } = await revokeOwn('own')
    assert.equal(status, 0)
    assert.match(stderr, /You are signed out here\. .*blindkeep login/)
    assert.match((await world.run(['whoami', '--profile', 'own'])).stderr, /No account is signed in/)
    world.proxy.tamper({ matches: isRequest('DELETE', /^\/v1\/devices\//), lose: 'answer' })
    const lost = await revokeOwn('lost')
    world.proxy.tamper()
    assert.equal(lost.status, 1)
    assert.match(lost.stderr, /may be revoked\. If it is, this profile is signed out: blindkeep whoami/)
  })
})

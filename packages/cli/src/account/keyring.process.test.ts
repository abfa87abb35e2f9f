/** `login --keyring` with a real keyring (Secret Service), as long as the call: what it keeps is on the disk. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type Call, openSharedWorld, PASSWORD } from '../testing/world.ts'

const hasKeyring = await promisify(execFile)('sh', [
  '-c',
  'command -v dbus-run-session && command -v gnome-keyring-daemon',
]).then(
  () => true,
  () => false,
)

const UNLOCK = 'printf keyring | gnome-keyring-daemon --unlock --components=secrets >&2 && exec "$@"'
const inDesktop = ['dbus-run-session', '--', 'sh', '-c', UNLOCK, 'sh']

const world = await openSharedWorld()

describe('register --keyring, where there is no keyring', () => {
  // No bus of a desktop, whatever this machine has.
  const env = {
    XDG_RUNTIME_DIR: world.root,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    BLINDKEEP_PASSWORD: PASSWORD,
  }
  const line = ['register', world.proxy.url, '--email', 'early@example.org']

  it('says so before there is an account, and how the keys are kept without it', async () => {
    const refused = await world.run([...line, '--keyring'], { env })
    assert.equal(refused.status, 1)
    assert.equal(refused.stdout, '')
    assert.match(
      refused.stderr,
      /keyring cannot be used here\. Unlock it, install one .*, or call this again without --keyring: then the keys are in files/,
    )
    // The address is still free.
    await world.facts(line, { env })
  })
})

describe('login --keyring', {
  skip: hasKeyring ? false : 'needs dbus-run-session and gnome-keyring-daemon',
}, async () => {
  const { root, run } = world
  const profile = join(root, 'home', 'profiles', 'sealed')
  const env = { HOME: join(root, 'desk'), XDG_RUNTIME_DIR: join(root, 'desk'), BLINDKEEP_PASSWORD: PASSWORD }
  const without: Call = { env }
  const unlocked: Call = { env, under: inDesktop }
  const of = (...args: readonly string[]) => [...args, '--profile', 'sealed']
  const login = of('login', world.proxy.url, '--email', 'sealed@example.org')
  const sealedFiles = async () => {
    const names = (await readdir(profile)).filter((name) => name.endsWith('.json'))
    const texts = await Promise.all(names.map((name) => readFile(join(profile, name), 'utf8')))
    return names.filter((_, index) => texts[index]?.startsWith('keyring:'))
  }
  await mkdir(env.HOME, { mode: 0o700 })

  it('seals what it keeps, and later processes open it with the key in the keyring', async () => {
    await world.register('sealed')
    await world.facts(of('logout'))
    await world.facts([...login, '--keyring'], unlocked)
    assert.deepEqual(await sealedFiles(), ['account.json', 'device.json', 'tokens.json'])
    const [who] = await world.facts(of('whoami'), unlocked)
    assert.equal(who.email, 'sealed@example.org')
    await world.facts(of('logout'), unlocked)
    assert.deepEqual(await sealedFiles(), ['device.json'])
    // The device that was sealed is the same after the next sign-in.
    await world.facts([...login, '--keyring'], unlocked)
    assert.equal((await world.facts(of('whoami'), unlocked))[0].device_id, who.device_id)
  })

  it('says that the keyring is away, and lets the person sign out and in without it', async () => {
    const away = await run(of('whoami'), without)
    assert.equal(away.status, 1)
    assert.match(
      away.stderr,
      /keyring cannot be used here\. Unlock it, .* or sign out \(blindkeep logout\) and in again without --keyring/,
    )
    assert.match((await run([...login, '--keyring'], without)).stderr, /keyring cannot be used here/)
    const [out] = await world.facts(of('logout'), without)
    assert.deepEqual(out, { event: 'signed_out', heard_by_server: false })
    assert.deepEqual(await sealedFiles(), [])
    await world.facts(login, without)
    assert.deepEqual(await sealedFiles(), [])
  })
})

/**
 * The image and both compose files in a container engine, with the base images or stand-ins for them. The first build
 * takes minutes; it needs root. `LARGE_BYTES`: of the upload. `KEEP_IMAGES=1` leaves the stand-ins and the layers of
 * the build for the next run.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { Owner } from '@blindkeep/client/owner'
import { FIRST_BUILD, unpackConvertible } from '../testing/earlier/earlierData.ts'
import { newOwner, openedDrops, sendFile } from '../testing/people.ts'
import { provedBody } from '../testing/proving.ts'
import { freePort } from '../testing/startServer.ts'
import { type Engine, findEngine } from './engine.ts'
import { replaced } from './replaced.ts'
import { imagesOf, makeStandIns } from './standIns.ts'
import { tryUnits } from './unitsInEngine.ts'

const LARGE_BYTES = Number(process.env.LARGE_BYTES ?? 200_000_000)
const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const DOCKERFILE = join(ROOT, 'deploy', 'Dockerfile')
const DATA = '/var/lib/blindkeep'
/** Of the proxy in `compose.yaml`. */
const PROXY_ADDRESS = '172.30.95.2'
/** As `compose.yaml` runs the server. */
const CONFINED = ['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges']
/** All that a run makes has this in its name. */
const RUN = `blindkeep-test-${randomBytes(4).toString('hex')}`

const engine = findEngine()

if (typeof engine === 'string') it('runs in a container engine', (t) => t.skip(engine))
else
  describe(`in ${engine.name}`, () => {
    const made: string[] = []
    let lack: string | undefined
    let dangling: readonly string[] = []

    before(async () => {
      dangling = await danglingImages(engine)
      lack = await makeStandIns(engine, imagesOf(DOCKERFILE), made)
      if (lack !== undefined) return
      // Podman keeps no health check in an image of its own format.
      const format = engine.name === 'podman' ? ['--format=docker'] : []
      await engine.must('build', ...format, '--file', DOCKERFILE, '--tag', RUN, ROOT)
    })

    after(async () => {
      await removeContainers(engine)
      await removeImages(engine)
      if (process.env.KEEP_IMAGES === '1') return
      // The first stage of the build has no name.
      const left = (await danglingImages(engine)).filter((id) => !dangling.includes(id))
      for (const id of [...left, ...made.reverse()]) await engine.run('rmi', '--force', id)
    })

    it('the image takes a large upload, ends with 0 after SIGTERM, and has its files after a kill', async (t) => {
      if (lack !== undefined) return t.skip(lack)
      t.after(() => removeContainers(engine))
      await reportSize(engine, t)
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const mounts = ['--volume', `${RUN}:${DATA}`, '--publish', `127.0.0.1:${port}:8080`, '--env', `PUBLIC_URL=${url}`]
      const start = () => engine.must('run', '--detach', '--name', RUN, ...labels(), ...CONFINED, ...mounts, RUN)
      await start()
      await engine.untilHealthy(RUN)
      assert.match(await (await fetch(url)).text(), /<script/)
      const owner = await newOwner(url, undefined, await inviteOf(engine, RUN))
      await sendThrough(owner, LARGE_BYTES)
      await isConfined(engine, RUN)

      await engine.must('stop', '--time', '25', RUN)
      assert.equal(await engine.must('inspect', '--format', '{{.State.ExitCode}}', RUN), '0')
      await engine.must('start', RUN)
      await engine.untilHealthy(RUN)
      await engine.must('kill', '--signal', 'KILL', RUN)
      assert.equal(await engine.must('wait', RUN), '137')
      await engine.must('rm', RUN)

      await start()
      await engine.untilHealthy(RUN)
      assert.equal((await openedDrops(owner)).length, 1)
      await engine.must('exec', RUN, 'blindkeep-server', 'fsck')
    })

    it('the image upgrades the volume of an earlier build', async (t) => {
      if (lack !== undefined) return t.skip(lack)
      const root = mkdtempSync(join(tmpdir(), 'blindkeep-earlier-'))
      t.after(() => rmSync(root, { recursive: true, force: true }))
      t.after(() => removeContainers(engine))
      const { publicUrl } = await unpackConvertible(FIRST_BUILD, join(root, 'data'))
      const volume = ['--volume', `${RUN}:${DATA}`]
      const filled = 'cp -a /from/. . && chown -R node:node .'
      const from = ['--user=root', '--volume', `${join(root, 'data')}:/from:ro,z`]
      await engine.must('run', '--rm', ...labels(), ...from, ...volume, RUN, 'sh', '-c', filled)
      const server = [...labels(), ...CONFINED, ...volume, '--env', `PUBLIC_URL=${publicUrl}`]
      const check = await engine.must('run', '--rm', ...server, RUN, 'blindkeep-server', 'upgrade', '--check', '--json')
      assert.ok(JSON.parse(check).changes.length > 0, check)
      await engine.must('run', '--detach', '--name', RUN, ...server, RUN)
      await engine.untilHealthy(RUN)
      await engine.must('exec', RUN, 'blindkeep-server', 'fsck')
      assert.match(await engine.must('exec', RUN, 'ls'), /blindkeep\.sqlite\.migration-1\.before-/)
    })

    it('deploy/compose.yaml carries an upload with TLS', async (t) => {
      const port = await freePort()
      const domain = `localhost:${port}`
      const project = await startProject(t, 'deploy/compose.yaml', { DOMAIN: domain }, [
        ['context: ..', `context: ${ROOT}`],
        ['./proxy/Caddyfile', join(ROOT, 'deploy/proxy/Caddyfile')],
        ['"80:80"', `"127.0.0.1:${await freePort()}:80"`],
        ['"443:443"', `"127.0.0.1:${port}:${port}"`],
      ])
      if (project === undefined) return
      const [server, proxy] = [await project.container('server'), await project.container('proxy')]
      await engine.untilHealthy(server)
      const authority = '/data/caddy/pki/authorities/local/root.crt'
      const certificate = await repeated(() => engine.must('exec', proxy, 'cat', authority))
      tls.setDefaultCACertificates([...tls.getCACertificates('bundled'), certificate])
      const url = `https://${domain}`
      await repeated(() => fetch(`${url}/readyz`))
      const owner = await newOwner(url, undefined, await inviteOf(engine, server))
      await sendThrough(owner, LARGE_BYTES)
      await isConfined(engine, server)
      await namesTheClient(engine, url, server)
      const check = await project.compose(
        'run',
        '--rm',
        '--no-deps',
        'server',
        'blindkeep-server',
        'upgrade',
        '--check',
      )
      assert.match(check, /nothing/i)
      // Podman's `down` leaves the volumes without a name.
      await removeContainers(engine)
    })

    it('compose.scale.yaml goes on while one node is stopped', async (t) => {
      const port = await freePort()
      const url = `http://localhost:${port}`
      const project = await startProject(
        t,
        'compose.scale.yaml',
        {},
        [
          ['context: .', `context: ${ROOT}`],
          ['PUBLIC_URL: http://localhost:8080', `PUBLIC_URL: ${url}`],
          ['./deploy/scale.Caddyfile', join(ROOT, 'deploy/scale.Caddyfile')],
          ['"127.0.0.1:8080:8080"', `"127.0.0.1:${port}:8080"`],
        ],
        ['database', 'objects', 'bucket'],
      )
      if (project === undefined) return
      await engine.untilHealthy(await project.container('database'))
      // Podman before 4.6 did not wait for it.
      await project.compose('up', '--detach')
      const nodes = [await project.container('node-1'), await project.container('node-2')] as const
      for (const node of nodes) await engine.untilHealthy(node)
      await repeated(async () => assert.equal((await fetch(`${url}/readyz`)).status, 200))
      const owner = await newOwner(url, undefined, await inviteOf(engine, nodes[0]))
      await sendThrough(owner, LARGE_BYTES)
      for (const [index, node] of nodes.entries()) {
        const sending = sendThrough(owner, LARGE_BYTES / 4)
        await engine.must('stop', '--time', '60', node)
        assert.equal(await engine.must('inspect', '--format', '{{.State.ExitCode}}', node), '0')
        await sending
        await sendThrough(owner, 100_000)
        await engine.must('start', node)
        await engine.untilHealthy(node)
        assert.equal((await openedDrops(owner)).length, 3 + 2 * index)
      }
      // Podman's `down` leaves the volumes without a name.
      await removeContainers(engine)
    })

    it('the units of systemd start the server and its backup as docs/operating.md says', async (t) => {
      if (lack !== undefined) return t.skip(lack)
      if (engine.name !== 'podman') return t.skip('only Podman prepares a container for systemd')
      t.after(() => removeContainers(engine))
      await tryUnits(engine, RUN, labels())
    })

    interface Project {
      /** The id of the container of a service. */
      container(service: string): Promise<string>
      compose(...args: readonly string[]): Promise<string>
    }

    /** Builds a sample and starts its services, or these; skips the test by what is missing. */
    const startProject = async (
      t: TestContext,
      sample: string,
      env: Readonly<Record<string, string>>,
      changes: readonly (readonly [string, string])[],
      services: readonly string[] = [],
    ): Promise<Project | undefined> => {
      const missing = lack ?? engine.lackOfCompose() ?? (await makeStandIns(engine, imagesOf(join(ROOT, sample)), made))
      if (missing !== undefined) return void t.skip(missing)
      const directory = mkdtempSync(join(tmpdir(), 'blindkeep-compose-'))
      t.after(() => rmSync(directory, { recursive: true, force: true }))
      t.after(() => removeContainers(engine))
      const file = join(directory, 'compose.yaml')
      writeFileSync(file, replaced(readFileSync(join(ROOT, sample), 'utf8'), changes))
      // So that Podman finds the layers of the image above.
      const compose = (...args: readonly string[]) =>
        engine.compose(['--project-name', RUN, '--file', file, ...args], { ...env, BUILDAH_FORMAT: 'docker' })
      await compose('build')
      await compose('up', '--detach', ...services)
      return {
        container(service) {
          const filters = ['project', 'service'].map((name) => `--filter=label=com.docker.compose.${name}`)
          return engine.must('ps', '--all', '--quiet', `${filters[0]}=${RUN}`, `${filters[1]}=${service}`)
        },
        compose,
      }
    }
  })

/** As those of compose, so that all that a failed test leaves is found. */
function labels(): readonly string[] {
  return [`--label=com.docker.compose.project=${RUN}`]
}

async function inviteOf(engine: Engine, container: string): Promise<string> {
  return JSON.parse(await engine.must('exec', container, 'blindkeep-server', 'account', 'invite', '--json')).code
}

async function sendThrough(owner: Owner, bytes: number): Promise<void> {
  const { url } = await owner.createLink({})
  await sendFile(url, randomBytes(bytes))
}

/** The log has the address of a client that was refused, and not that of the proxy. */
async function namesTheClient(engine: Engine, url: string, server: string): Promise<void> {
  const body = JSON.stringify(await provedBody(url, '/v1/auth/login', { members: { email: 'owner@example.org' } }))
  const headers = { 'Content-Type': 'application/json' }
  assert.equal((await fetch(`${url}/v1/auth/login`, { method: 'POST', headers, body })).status, 401)
  const { stdout, stderr } = await engine.run('logs', server)
  const [, address] = /"address":"([^"]+)"/.exec(stdout + stderr) ?? []
  assert.ok(address !== undefined && address !== PROXY_ADDRESS, stdout)
}

/** What `decisions/deploy.md` promises of the server's process. */
async function isConfined(engine: Engine, container: string): Promise<void> {
  const status = await engine.must('exec', container, 'cat', '/proc/1/status')
  const facts = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1]
  assert.match(facts('Uid') ?? '', /^1000\s/)
  assert.deepEqual([facts('CapBnd'), facts('NoNewPrivs')], ['0000000000000000', '1'], status)
  const tried = await engine.run('exec', container, 'touch', '/opt/blindkeep/file')
  assert.match(tried.stderr, /Read-only file system/)
}

async function reportSize(engine: Engine, t: TestContext): Promise<void> {
  const sizes = await engine.must('history', '--format', '{{.Size}} {{.CreatedBy}}', RUN)
  const whole = await engine.must('image', 'inspect', '--format', '{{.Size}}', RUN)
  const [ours] = sizes.split('\n').filter((line) => /COPY/.test(line))
  t.diagnostic(`${Math.round(Number(whole) / 1e6)} MB, of that ours: ${ours}`)
}

/** Until it does not throw, for what is ready a moment later. */
async function repeated<T>(action: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 60_000
  for (;;)
    try {
      return await action()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
}

/** What a test that failed has left. */
async function removeContainers(engine: Engine): Promise<void> {
  const ours = `--filter=label=com.docker.compose.project=${RUN}`
  const left = async () => lines(await engine.must('ps', '--all', '--quiet', ours))
  // Podman removes none that another one needs.
  for (let ids = await left(); ids.length > 0; ids = await left()) {
    const { stdout, stderr } = await engine.run('rm', '--force', '--volumes', ...ids)
    if (stdout.trim() === '') throw new Error(stderr)
  }
  for (const kind of ['network', 'volume'])
    for (const name of lines(await engine.must(kind, 'ls', '--format', '{{.Name}}')))
      if (name.startsWith(RUN)) await engine.must(kind, 'rm', name)
}

async function removeImages(engine: Engine): Promise<void> {
  const images = lines(await engine.must('images', '--format', '{{.Repository}}'))
  for (const name of images) if (name.includes(RUN)) await engine.must('rmi', name)
}

async function danglingImages(engine: Engine): Promise<readonly string[]> {
  return lines(await engine.must('images', '--quiet', '--filter', 'dangling=true'))
}

function lines(output: string): readonly string[] {
  return output.split('\n').filter((line) => line !== '')
}

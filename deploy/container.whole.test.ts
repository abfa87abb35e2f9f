/** The steps of the Dockerfile one by one, and then its server. `npm ci` needs the registry and takes a minute. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../testing/startServer.ts'
import { buildImage, type Image, lackOf } from './image.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DOCKERFILE = fileURLToPath(new URL('Dockerfile', import.meta.url))
const HEALTHY_TIMEOUT_MS = 60_000

it('builds an image whose server becomes healthy without root and a writable root, and ends with 0 after SIGTERM', async (t) => {
  const lack = lackOf()
  if (lack !== undefined) return t.skip(lack)
  const image = buildImage(DOCKERFILE, ROOT)
  t.after(() => image.remove())
  assert.notEqual(image.user, 'root')
  const settings = { PORT: String(await freePort()), PUBLIC_URL: 'https://drop.example.org' }
  assert.equal((await run(image, image.healthCheck, settings)).status, 1, 'healthy before the start')

  const server = image.start(image.command, settings)
  t.after(() => server.kill('SIGKILL'))
  const ended = once(server, 'exit')
  let log = ''
  for (const output of [server.stdout, server.stderr]) output?.setEncoding('utf8').on('data', (more) => (log += more))
  const deadline = Date.now() + HEALTHY_TIMEOUT_MS
  while ((await run(image, image.healthCheck, settings)).status !== 0) {
    assert.ok(Date.now() < deadline && server.exitCode === null, log)
    await wait(500)
  }
  const page = await fetch(`http://127.0.0.1:${settings.PORT}/`)
  assert.match(await page.text(), /<script/)
  const listed = await run(image, ['blindkeep-server', 'account', 'list', '--json'], settings)
  assert.deepEqual([listed.status, JSON.parse(listed.output).accounts], [0, []], listed.output)
  const tried = await run(image, ['sh', '-c', 'touch /opt/blindkeep/file'], settings)
  assert.match(tried.output, /Read-only file system/)

  server.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null], log)
})

async function run(image: Image, command: readonly string[], settings: Readonly<Record<string, string>>) {
  const child = image.start(command, settings)
  const ended = once(child, 'close')
  const outputs = [child.stdout, child.stderr].map((output) => (output === null ? '' : text(output)))
  const output = (await Promise.all(outputs)).join('')
  const [status] = await ended
  return { status, output }
}

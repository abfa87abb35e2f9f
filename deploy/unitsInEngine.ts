/** The units under a systemd that runs in a container, with the commands that `docs/operating.md` gives. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Engine } from './engine.ts'
import { replaced } from './replaced.ts'

const OPERATING = new URL('../docs/operating.md', import.meta.url)
const DISK = '/mnt/blindkeep-backup'
const TIMEOUT_MS = 120_000
/** Debian with the package installed as `npm install --prefix` does, and Node in `/usr/bin`. */
const INSTALLED = [
  'USER root',
  'WORKDIR /',
  'RUN apt-get update && apt-get install --yes --no-install-recommends systemd dbus && rm -rf /var/lib/apt/lists/*',
  'RUN cd /tmp && npm pack /opt/blindkeep && rm -r /opt/blindkeep && mv /usr/local/bin/node /usr/bin/ && npm install --prefix /opt/blindkeep /tmp/blindkeep-server-*.tgz',
  'STOPSIGNAL SIGRTMIN+3',
  'CMD ["/lib/systemd/systemd"]',
]

/** An image from the server's, named after it, and a container with `labels`. Callers remove both. */
export async function tryUnits(engine: Engine, image: string, labels: readonly string[]): Promise<void> {
  const systemd = `${image}-systemd`
  await build(engine, systemd, [`FROM localhost/${image}`, ...INSTALLED])
  await engine.must('run', '--detach', '--name', systemd, ...labels, '--privileged', '--systemd=always', systemd)
  const shell = (command: string) => engine.must('exec', systemd, 'bash', '-ec', command)
  await until(async () => /running/.test((await engine.run('exec', systemd, 'systemctl', 'is-system-running')).stdout))

  const [install = '', operate = ''] = commands()
  assert.match(await shell(replaced(install, [['journalctl ', 'true ']])), /^$/)
  await until(async () => /invite=/.test(await shell('journalctl --unit=blindkeep')))
  assert.match(await shell(`${operate}\noperate account invite --json`), /"code":/)
  const probe = `fetch('http://127.0.0.1:8080/readyz').then((answer) => process.exit(answer.ok ? 0 : 1))`
  await shell(`node -e "${probe}"`)

  const isFailed = async () => (await engine.run('exec', systemd, 'systemctl', 'is-failed', 'blindkeep-backup')).stdout
  assert.equal((await engine.run('exec', systemd, 'systemctl', 'start', 'blindkeep-backup')).status, 1)
  assert.equal((await isFailed()).trim(), 'failed', 'a backup without its disk')
  await shell(`mount -t tmpfs tmpfs ${DISK} && systemd-tmpfiles --create`)
  await shell('systemctl enable --now blindkeep-backup.timer && systemctl start blindkeep-backup')
  assert.match(await shell(`ls ${DISK}/blindkeep`), /backup\.json/)
  assert.match(await shell('systemctl list-timers'), /blindkeep-backup\.timer/)
  assert.notEqual((await isFailed()).trim(), 'failed')

  await shell('systemctl kill --kill-whom=main --signal=KILL blindkeep')
  const shown = (property: string) => shell(`systemctl show --property=${property} --value blindkeep`)
  await until(async () => (await shown('NRestarts')) === '1' && (await shown('ActiveState')) === 'active')
  await until(async () => (await engine.run('exec', systemd, 'node', '-e', probe)).status === 0)
  await shell('systemctl stop blindkeep')
  assert.deepEqual([await shown('Result'), await shown('ExecMainStatus')], ['success', '0'])
}

/** The blocks of the section, in their order. */
function commands(): readonly string[] {
  const [, section = ''] = readFileSync(OPERATING, 'utf8').split('## As a service of systemd\n')
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

async function build(engine: Engine, name: string, lines: readonly string[]): Promise<void> {
  const context = mkdtempSync(join(tmpdir(), 'blindkeep-systemd-'))
  try {
    writeFileSync(join(context, 'Dockerfile'), `${lines.join('\n')}\n`)
    await engine.must('build', '--tag', name, context)
  } finally {
    rmSync(context, { recursive: true, force: true })
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`not so after ${TIMEOUT_MS / 1000} s: ${isSo}`)
    await wait(250)
  }
}

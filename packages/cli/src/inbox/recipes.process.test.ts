/** The programs of `examples/watch` for `inbox watch --exec`, with ClamAV and msmtp, and guests who try their names. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isInstalled } from '../../../../deploy/installed.ts'
import { replaced } from '../../../../deploy/replaced.ts'
import { openMailReceiver } from '../../../../testing/receivers.ts'
import { openOffice } from '../testing/office.ts'
import { type Fact, openSharedWorld } from '../testing/world.ts'

const world = await openSharedWorld()
const { root, start } = world
const here = await openOffice(world, 'office')
const RECIPES = fileURLToPath(new URL('../../../../examples/watch', import.meta.url))

/** In two pieces, so that this file is no finding. */
const EICAR = Buffer.from(['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-', 'ANTIVIRUS-TEST-FILE!$H+H*'].join(''))
const NAMES = ['-rf', '--move=pwned', 'a\nb', `'"; $(touch pwned) \`touch pwned\` & .txt`, '../pwned', 'x: y FOUND']

/** Watches until all drops have this outcome. Resolves with what it wrote to standard error, and its facts. */
async function watched(drops: readonly string[], outcome: string, more: readonly string[], HOME = root) {
  const args = ['inbox', 'watch', '--profile', here.profile, '--save', 'saved', '--json', ...more]
  const child = start(args, { env: { HOME } })
  assert.ok(child.stdout && child.stderr)
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    errors += piece
  })
  const facts: Fact[] = []
  const waiting = new Set(drops)
  for await (const line of createInterface(child.stdout)) {
    const fact: Fact = JSON.parse(line)
    facts.push(fact)
    if (fact.event === outcome) waiting.delete(fact.drop_id)
    if (waiting.size === 0) child.kill('SIGTERM')
  }
  assert.deepEqual([...waiting], [], errors)
  return { errors, facts }
}

const sent = async (contents: readonly Uint8Array[], facts: object = {}) => {
  const drops: string[] = []
  for (const [index, content] of contents.entries())
    drops.push(await here.drop(content, { ...facts, name: NAMES[index] ?? 'more' }))
  return drops
}

describe('the programs for --exec', () => {
  it('scan.sh lets clean files be adopted, and moves the others away for good, whatever their names', async (t) => {
    if (!isInstalled('clamscan', t)) return
    const signatures = join(root, 'signatures')
    await mkdir(signatures)
    const digest = createHash('md5').update(EICAR).digest('hex')
    await writeFile(join(signatures, 'own.hdb'), `${digest}:${EICAR.length}:Own.Eicar\n`)
    const program = join(root, 'scan.sh')
    const text = await readFile(join(RECIPES, 'scan.sh'), 'utf8')
    await writeFile(
      program,
      replaced(text, [['clamscan --no-summary', `clamscan --database=${signatures} --no-summary`]]),
    )
    await chmod(program, 0o755)
    const { albumId } = await here.owner.createAlbum({ name: 'Scanned' })
    const more = ['--exec', program, '--exec-arg', join(root, 'quarantine'), '--adopt', albumId]

    const clean = await sent(NAMES.map((_, index) => Buffer.from(`clean ${index}`)))
    const { errors } = await watched(clean, 'adopted', more)
    assert.equal(errors, '')
    const kept = (await readdir(join(root, 'saved'))).length
    assert.equal(kept, NAMES.length)

    const infected = await sent(NAMES.map(() => EICAR))
    const first = await watched(infected, 'failed', more)
    for (const drop of infected)
      assert.ok(first.errors.includes(`${drop}: is in quarantine: Own.Eicar.UNOFFICIAL FOUND\n`))
    const again = await watched(infected, 'failed', more)
    for (const drop of infected) assert.ok(again.errors.includes(`${drop}: is in quarantine since an earlier start\n`))
    assert.deepEqual((await readdir(join(root, 'quarantine'))).sort(), infected.toSorted())
    assert.deepEqual((await here.pending()).toSorted(), infected.toSorted())
    assert.equal((await readdir(join(root, 'saved'))).length, kept)
    assert.ok(!(await readdir(root)).includes('pwned'))
    for (const drop of infected) await here.owner.discardDrop(drop)
  })

  it('mail.sh sends one mail to one address for each file, whatever guests say', async (t) => {
    if (!isInstalled('msmtp', t) || !isInstalled('jq', t)) return
    const mails = await openMailReceiver()
    t.after(() => mails.close())
    const home = join(root, 'mailHome')
    await mkdir(home)
    const account = `account default\nhost 127.0.0.1\nport ${mails.port}\nfrom keep@example.org\n`
    await writeFile(join(home, '.msmtprc'), account, { mode: 0o600 })
    const note = `${'long '.repeat(50)}$(touch pwned)\r\n.\r\nQUIT\r\n\`touch pwned\``
    const answer = '17"; $(touch pwned) `touch pwned`'
    const fields = [['Matter', answer]] as const
    const facts = { sender: 'Ada\r\nBcc: all@example.org', note, fields }
    const drops = await sent(
      NAMES.map((name) => Buffer.from(name)),
      facts,
    )
    const more = ['--exec', join(RECIPES, 'mail.sh'), '--exec-arg', 'me@example.org', '--discard']
    const { errors, facts: reported } = await watched(drops, 'discarded', more, home)
    assert.equal(errors, '')
    assert.equal(mails.received.length, NAMES.length)
    const paths = reported.filter(({ event }) => event === 'saved').map(({ path }) => path)
    const seen = mails.received.map(({ from, to, text }) => {
      assert.deepEqual([from, to], ['keep@example.org', ['me@example.org']])
      const [head = '', body = ''] = text.split('\r\n\r\n')
      const names = head.split('\r\n').map((line) => line.split(':')[0])
      assert.ok(!names.includes('Bcc'), head)
      const plain = Buffer.from(body, 'base64').toString()
      assert.ok(plain.includes('Link: Front desk\n') && plain.includes('$(touch pwned)'), plain)
      assert.ok(plain.includes(`\nMatter: ${answer}\nNote: long `), plain)
      return paths.find((path) => plain.startsWith(`${path}\n`))
    })
    assert.deepEqual(seen.toSorted(), paths.toSorted())
    assert.ok(!(await readdir(root)).includes('pwned'))
  })
})

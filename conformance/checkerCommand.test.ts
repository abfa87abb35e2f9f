/** `npm run check:receipts`: its input, its output and its exit status; each status once as a process. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { landAsset, newAuthor, newBundle, receiptsOf } from './assetWorld.ts'
import { type Ended, run } from './checkerRun.ts'
import { newServerKeys, publish, writeChain } from './receiptWriter.ts'
import { connect } from './server.ts'

const MAIN = fileURLToPath(new URL('checker/main.ts', import.meta.url))

const folder = await mkdtemp(join(tmpdir(), 'blindkeep-checker-'))
after(() => rm(folder, { recursive: true, force: true }))

function runProcess(parameters: readonly string[], input = ''): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...parameters])
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (piece: Buffer) => stdout.push(piece))
    child.stderr.on('data', (piece: Buffer) => stderr.push(piece))
    // The command may exit before it has read all of its input.
    child.stdin.on('error', () => {})
    child.on('error', reject)
    child.on('close', (status) =>
      resolve({ status, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    )
    child.stdin.end(input)
  })
}

async function fileWith(name: string, content: unknown): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const signer = newServerKeys()
const chain = writeChain(signer, [{}, {}, {}, {}]).map((cbor) => cbor.toString('base64'))
const lines = (list: readonly string[]) => `${list.join('\n')}\n`
const keys = await fileWith('keys.json', publish([signer]))
const twoKeys = await fileWith('two.json', publish([signer, newServerKeys()], [10]))
const damaged = chain.toSpliced(2, 1, `${chain[2]?.slice(0, -8)}AAAAAAA=`)

// Covers: Receipt checker
describe('npm run check:receipts', () => {
  it('exits with 0 when it finds no fault, and says what it did not check', async () => {
    const { status, stdout } = await runProcess(['-', '--keys', keys], lines(chain))
    assert.equal(status, 0)
    assert.match(
      stdout,
      /^Checked 4 receipts of https:\/\/keep\.example, receipt_seq 1 to 4, under 1 published key\.\nNo fault found\.\n/,
    )
    assert.match(stdout, /Not checked: .*\(--pins\).*\(--whole\).*\(--log\)/)
    const all = await run(['-', '--keys', keys, '--pins', keys, '--whole', '--log'], lines(chain))
    assert.deepEqual([all.status, all.stdout.includes('Not checked')], [0, false])
    const longer = await run(['-', '--keys', twoKeys, '--pins', keys], lines(chain))
    assert.match(longer.stdout, /Not checked: .*\(--moves\)/)
  })

  it('exits with 1 when it finds a fault, and names the receipt and the position', async () => {
    const { status, stdout } = await runProcess(['-', '--keys', keys, '--whole'], lines(damaged))
    assert.equal(status, 1)
    assert.match(
      stdout,
      /1 fault:\n {2}receipt 3 \(item 3 of the input\), ML-DSA-65 signature, bytes \d+ to \d+: it does not verify/,
    )
    const gap = await run(['-', '--keys', keys, '--whole'], lines(chain.toSpliced(1, 1)))
    assert.deepEqual(
      [gap.status, /receipt 3 \(item 2 of the input\), field prior_receipt_hash/.test(gap.stdout)],
      [1, true],
    )
  })

  it('exits with 2 when it cannot check', async () => {
    const input = lines(chain)
    const nowhere = 'http://127.0.0.1:9'
    const noKeys = await fileWith('none.json', { keys: [] })
    const noJson = await fileWith('broken.json', '{')
    const runs: readonly (readonly [readonly string[], string])[] = [
      [['-'], input],
      [[], input],
      [['-', '--keys', keys], ''],
      [['-', '--keys', keys, '--unknown'], input],
      [[join(folder, 'missing'), '--keys', keys], ''],
      [['-', '--keys', nowhere], input],
      [['-', '--keys', noKeys], input],
      [['-', '--keys', noJson], input],
      [['-', '--keys', keys, '--pins', noKeys], input],
    ]
    const ended = await Promise.all(runs.map(([parameters, given]) => run(parameters, given)))
    assert.deepEqual(
      ended.map(({ status }) => status),
      runs.map(() => 2),
    )
    for (const { stdout, stderr } of ended.slice(3)) assert.match(stdout + stderr, /^Could not check: /)
    const { status, stderr } = await runProcess(['-', '--keys', join(folder, 'missing')], input)
    assert.deepEqual([status, /^Could not check: /.test(stderr)], [2, true])
    const faulty = await run(['-', '--whole'], lines(chain.toSpliced(1, 1)))
    assert.equal(faulty.status, 1, 'a fault is a fault without keys too')
  })

  it('reads lines, documents, answers and plain base64, from one or several files', async () => {
    const [first = '', ...rest] = chain
    const answer = { asset_id: '0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e13', receipts: rest }
    const forms = [
      lines(chain.map((text) => JSON.stringify(text))),
      `\n${chain.join('\r\n')}`,
      JSON.stringify(chain),
      JSON.stringify([first, answer], undefined, 2),
      lines([first, JSON.stringify(answer)]),
      JSON.stringify({ reason: 'evidence of a contradiction', receipts: chain }),
    ]
    for (const form of forms) {
      const { status, stdout } = await run(['-', '--keys', keys, '--whole', '--log'], form)
      assert.deepEqual([status, /^Checked 4 receipts/.test(stdout)], [0, true], form.slice(0, 40))
    }
    const files = [await fileWith('one', lines(chain.slice(0, 2))), await fileWith('two', chain.slice(2))]
    assert.equal((await run([...files, '--keys', keys, '--whole', '--log'])).status, 0)
  })

  it('reports a line that is neither JSON nor base64, and checks the others', async () => {
    for (const at of [0, 2]) {
      const { status, stdout } = await run(['-', '--keys', keys, '--json'], lines(chain.toSpliced(at, 0, '{"receipt')))
      const report = JSON.parse(stdout)
      assert.deepEqual([status, report.receipts, report.fault_count], [1, 5, 1])
      assert.deepEqual([report.faults[0].position, report.faults[0].kind], [at + 1, 'unreadable'])
    }
  })

  it('writes the report as JSON', async () => {
    const { stdout } = await run(['-', '--keys', keys, '--json', '--log'], lines(damaged))
    const { faults, ...report } = JSON.parse(stdout)
    assert.deepEqual(report, {
      server_id: 'https://keep.example',
      receipts: 4,
      first_receipt_seq: 1,
      last_receipt_seq: 4,
      keys: 1,
      pins: false,
      moves: false,
      whole: false,
      log: true,
      fault_count: 1,
    })
    assert.deepEqual([faults.length, faults[0].receipt_seq, faults[0].kind], [1, 3, 'signature'])
  })

  it('prints its usage', async () => {
    const { status, stdout } = await run(['--help'])
    assert.equal(status, 0)
    for (const option of ['--keys', '--pins', '--moves', '--whole', '--log', '--json', 'Exit status: 0'])
      assert.ok(stdout.includes(option), option)
  })

  it('reads the keys from a server, and accepts the server’s answer about an asset as it is', async () => {
    const server = await connect()
    const bundle = await landAsset(newBundle(await newAuthor(server)))
    const answer = { asset_id: bundle.assetId, receipts: await receiptsOf(bundle) }
    const { status, stdout } = await run(['-', '--keys', `${server.base}/`], JSON.stringify(answer))
    assert.deepEqual([status, /^Checked 3 receipts/.test(stdout)], [0, true], stdout)
  })

  it('refuses keys from a server that redirects or does not answer 200', async () => {
    const answers = createServer((request, reply) => {
      if (request.url?.startsWith('/elsewhere')) reply.writeHead(302, { location: '/attestation-keys' })
      else reply.writeHead(request.url === '/attestation-keys' ? 200 : 404)
      reply.end(JSON.stringify(publish([signer])))
    })
    await new Promise<void>((resolve) => answers.listen(0, '127.0.0.1', resolve))
    const address = answers.address()
    const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const statusOf = async (url: string) => (await run(['-', '--keys', url], lines(chain))).status
    assert.equal(await statusOf(`${base}/attestation-keys`), 0)
    assert.deepEqual([await statusOf(base), await statusOf(`${base}/elsewhere`)], [2, 2])
    await new Promise((resolve) => answers.close(resolve))
  })
})

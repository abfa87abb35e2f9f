import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { runCommand } from '../../../../testing/command.ts'
import { openServerData } from '../assembly/data.ts'
import { readConfig } from '../config/config.ts'
import { recordedServerId, recordServerId } from '../domain/discovery/serverId.ts'
import { openDouble } from '../testing/s3/world.ts'
import { USE } from '../testing/serverUse.ts'
import { defined } from '../testing/world.ts'

it('`move` signs nothing over a database that lacks receipts which were signed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-move-'))
  const { address, credentials, close } = await openDouble()
  const { bucket, prefix, endpoint, region } = address
  const env = {
    PATH: process.env.PATH ?? '',
    DATA_DIR: join(directory, 'data'),
    MASTER_SECRET_FILE: join(directory, 'master.secret'),
    BLOBS_URL: `s3://${bucket}/${prefix}?endpoint=${endpoint}&region=${region}&pathStyle=true`,
    AWS_ACCESS_KEY_ID: defined(credentials.accessKeyId),
    AWS_SECRET_ACCESS_KEY: defined(credentials.secretAccessKey),
  }
  const config = readConfig(env)
  assert.ok(!('faults' in config))
  const inData = async <Result>(work: (data: Awaited<ReturnType<typeof openServerData>>) => Promise<Result>) => {
    const data = await openServerData(config, USE)
    try {
      return await work(data)
    } finally {
      await data.close()
    }
  }
  try {
    const receiptHash = defined(parseSha256Hex(createHash('sha256').update('a receipt').digest('hex')))
    await inData(async ({ store, witness }) => {
      await store.write(['server'], (tx) => recordServerId(tx, 'https://keep.example'))
      await defined(witness).write({ life: 0, receiptSeq: 7, receiptHash })
    })
    const moved = await runCommand(['move', '--yes', '--unchecked'], {
      cwd: directory,
      env: { ...env, PUBLIC_URL: 'https://drop.example.org' },
    })
    assert.equal(moved.status, 1)
    assert.match(moved.stderr, /The database was set back/)
    assert.equal(await inData(({ store }) => recordedServerId(store)), 'https://keep.example')
  } finally {
    await close()
    await rm(directory, { recursive: true })
  }
})

/** P8: deep verify reads and hashes every byte. Beside the usual programs on the same files, from the page cache. */

import { drive, expectStatus, requestOf } from '../load.ts'
import { type Planted, plantAssets } from '../plantedAssets.ts'
import { hasProgram, startBlindkeep, timeProgram } from '../processes.ts'
import type { Lane, Row } from '../row.ts'

const MEBIBYTE = 1024 * 1024
const ASSETS = 4

export const deepVerify: Row = {
  name: 'deep-verify',
  ids: ['P8'],
  what: 'deep verify of 4 assets with 64 MiB each, one request',
  async open(options) {
    const server = await startBlindkeep(options)
    const blobBytes = (options.isQuick ? 1 : 64) * MEBIBYTE
    const planted = await plantAssets(server, { assets: ASSETS, roles: ['original'], blobBytes })
    const mebibytes = (ASSETS * blobBytes) / MEBIBYTE
    const deep = deepLane(planted, { port: server.port, mebibytes })
    const paths = planted.assets.flatMap(({ blobs }) => blobs.map(({ path }) => path))
    const sha256sum = programLane('sha256sum', { parameters: paths, mebibytes })
    const openssl = programLane('openssl dgst', { parameters: ['dgst', '-sha256', ...paths], mebibytes })
    const others = hasProgram('openssl', ['version']) ? [openssl] : []
    return {
      unit: 'MiB/s',
      lanes: [deep, sha256sum, ...others],
      comparisons: [
        { id: 'P8', lane: deep, beside: sha256sum, reach: 0.9 },
        ...others.map((beside) => ({ id: 'P8', lane: deep, beside })),
      ],
    }
  },
}

function deepLane({ owner, assets }: Planted, { port, mebibytes }: { port: number; mebibytes: number }): Lane {
  const asked = assets.map(({ assetId, blobs }) => ({ asset_id: assetId, blob_hashes: blobs.map(({ hash }) => hash) }))
  const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' }
  const body = Buffer.from(JSON.stringify({ assets: asked, deep: true }))
  const request = requestOf({ method: 'POST', path: '/v1/storage/verify', headers, body })
  return {
    name: 'deep verify over HTTP',
    async measure() {
      const { seconds, loadBusy } = await drive({
        port,
        clients: 1,
        count: 1,
        async work(connection) {
          const text = expectStatus(await connection.ask(request), 200).body.toString()
          if (text.split('"deep":"intact"').length !== ASSETS + 1) throw new Error(`not all is intact: ${text}`)
        },
      })
      return { value: mebibytes / seconds, loadBusy }
    },
  }
}

function programLane(
  name: string,
  { parameters, mebibytes }: { readonly parameters: readonly string[]; readonly mebibytes: number },
): Lane {
  const [program = name] = name.split(' ')
  return {
    name,
    measure: async () => ({ value: mebibytes / (await timeProgram(program, parameters)) }),
  }
}

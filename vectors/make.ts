/**
 * Makes the files of `vectors/` from fixed inputs, so that every run makes the same files.
 *   node vectors/make.ts           writes them
 *   node vectors/make.ts --check   fails when a committed file differs from what the code makes
 */
import { readFile, writeFile } from 'node:fs/promises'
import { argumentsOf } from '../tools/arguments.ts'
import { accountVectors } from './make/account.ts'
import { argon2idVectors } from './make/argon2id.ts'
import { capabilityVectors } from './make/capabilities.ts'
import { derivationVectors } from './make/derivations.ts'
import { emailVectors } from './make/emails.ts'
import { fragmentVectors } from './make/fragments.ts'
import { keyListVectors } from './make/keyLists.ts'
import { linkTitleVectors } from './make/linkTitles.ts'
import { manifestVectors } from './make/manifests.ts'
import { mlDsa65Vectors } from './make/mlDsa65.ts'
import { moveVectors } from './make/moves.ts'
import { openingVectors } from './make/openings.ts'
import { ownNameVectors } from './make/ownNames.ts'
import { passkeyVectors } from './make/passkeys.ts'
import { proofVectors } from './make/proofs.ts'
import { receiptVectors } from './make/receipts.ts'
import { recoveryWordsVectors } from './make/recoveryWords.ts'
import { sampleVectors } from './make/samples.ts'
import { sealedBlobVectors } from './make/sealedBlobs.ts'
import { shareVectors } from './make/shares.ts'
import { xWingVectors } from './make/xWing.ts'

const files = {
  'account.json': accountVectors,
  'argon2id.json': argon2idVectors,
  'capabilities.json': capabilityVectors,
  'derivations.json': derivationVectors,
  'emails.json': emailVectors,
  'fragments.json': fragmentVectors,
  'key-lists.json': keyListVectors,
  'link-titles.json': linkTitleVectors,
  'manifests.json': manifestVectors,
  'ml-dsa-65.json': mlDsa65Vectors,
  'moves.json': moveVectors,
  'openings.json': openingVectors,
  'own-names.json': ownNameVectors,
  'passkeys.json': passkeyVectors,
  'proofs.json': proofVectors,
  'receipts.json': receiptVectors,
  'recovery-words.json': recoveryWordsVectors,
  'samples.json': sampleVectors,
  'sealed-blobs.json': sealedBlobVectors,
  'shares.json': shareVectors,
  'xwing.json': xWingVectors,
} as const

async function committed(path: URL): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return undefined
  }
}

const isCheck = argumentsOf('node vectors/make.ts [--check]', { check: { type: 'boolean', default: false } }).values
  .check
for (const [name, make] of Object.entries(files)) {
  const path = new URL(`./${name}`, import.meta.url)
  const text = `${JSON.stringify(await make(), null, 1)}\n`
  if (!isCheck) {
    await writeFile(path, text)
    console.log(`${name}: ${text.length} bytes`)
  } else if ((await committed(path)) !== text) {
    console.error(`vectors/${name} differs from what the code makes; run: node vectors/make.ts`)
    process.exitCode = 1
  }
}

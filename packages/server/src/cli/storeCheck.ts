import { parseS3Address } from '../adapters/s3/address.ts'
import { checkStore } from '../adapters/s3/check.ts'
import { type Call, type Command, columns, type Outcome, UsageError } from './command.ts'

/** Probing an object store. */
export const storeCommands: readonly Command[] = [
  {
    name: 'store check',
    summary: 'Probes an object store (S3), before a server trusts it.',
    takes: ['address'],
    details: [
      'The address is as in BLOBS_URL: s3://<bucket>/<prefix>?endpoint=<url>&region=<region>. Credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,',
      'S3_CREDENTIALS_FILE, or a role as for the server. Writes some 30 MB below the prefix and removes them. `note` is worth knowing; with `wrong` do not use the store as it is.',
      'Exit status: 0 nothing is wrong · 1 something is wrong.',
    ],
    run: check,
  },
]

async function check({ config, given, tell }: Call): Promise<Outcome> {
  const address = parseS3Address(given[0] ?? '')
  if ('fault' in address) throw new UsageError(`the address ${address.fault}`)
  const findings = await checkStore({
    address: address.value,
    credentials: {
      accessKeyId: config.s3AccessKeyId,
      secretAccessKey: config.s3SecretAccessKey,
      sessionToken: config.s3SessionToken,
      file: config.s3CredentialsFile,
    },
    onFinding: ({ probe }) => tell(`${probe}: done`),
  })
  return {
    lines: columns(findings.map(({ outcome, probe, said }) => [outcome, probe, said])),
    json: { findings },
    isWrong: findings.some(({ outcome }) => outcome === 'wrong'),
  }
}

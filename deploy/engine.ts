/** A container engine and its compose, as operators call them. `CONTAINER_ENGINE`: `podman` or `docker`. */
import { execFile, spawnSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'

/** A build installs packages, and the first start of a container may fetch its image. */
const TIMEOUT_MS = 900_000
const HEALTHY_TIMEOUT_MS = 120_000
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

export interface Outcome {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export interface Engine {
  readonly name: 'podman' | 'docker'
  /** Resolves also when the command fails. */
  run(...args: readonly string[]): Promise<Outcome>
  /** Its standard output, trimmed. Rejects with all that it printed when it fails. */
  must(...args: readonly string[]): Promise<string>
  /** Rejects when it fails, also if the engine has no compose. */
  compose(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>
  /** What this machine lacks for `compose`, if anything. */
  lackOfCompose(): string | undefined
  hasImage(name: string): Promise<boolean>
  /** Resolves for a healthy container; rejects with its log after two minutes or its end. */
  untilHealthy(container: string): Promise<void>
}

/** An engine that answers, or what this machine lacks. Throws for an unknown `CONTAINER_ENGINE`. */
export function findEngine(): Engine | string {
  const { CONTAINER_ENGINE: wanted } = process.env
  const names = (['podman', 'docker'] as const).filter((name) => wanted === undefined || name === wanted)
  if (names.length === 0) throw new Error(`CONTAINER_ENGINE names ${wanted}, which is neither podman nor docker`)
  const name = names.find((each) => succeeds(each, ['info']))
  return name === undefined ? `no container engine answers (${names.join(', ')})` : createEngine(name)
}

function createEngine(name: Engine['name']): Engine {
  const [composer, ...words] = name === 'podman' ? ['podman-compose'] : ['docker', 'compose']
  const run = (...args: readonly string[]) => execute(name, args)
  const must = async (...args: readonly string[]) => checked(await run(...args), `${name} ${args.join(' ')}`)
  return {
    name,
    run,
    must,
    compose: async (args, env = {}) =>
      checked(await execute(composer, [...words, ...args], env), `compose ${args.join(' ')}`),
    lackOfCompose: () =>
      succeeds(composer, [...words, 'version']) ? undefined : `${[composer, ...words].join(' ')} is not installed`,
    hasImage: async (image) => (await run('image', 'inspect', image)).status === 0,
    async untilHealthy(container) {
      const deadline = Date.now() + HEALTHY_TIMEOUT_MS
      while (!(await isHealthy({ name, run, must }, container))) {
        const state = await must('inspect', '--format', '{{.State.Status}}', container)
        if (/^(exited|stopped)$/.test(state) || Date.now() > deadline)
          throw new Error(`${container} is ${state}: ${JSON.stringify(await run('logs', container))}`)
        await wait(500)
      }
    },
  }
}

/** Podman leaves the time of checks to systemd, which not every machine runs. */
async function isHealthy(
  { name, run, must }: Pick<Engine, 'name' | 'run' | 'must'>,
  container: string,
): Promise<boolean> {
  if (name === 'podman') return (await run('healthcheck', 'run', container)).status === 0
  return (await must('inspect', '--format', '{{.State.Health.Status}}', container)) === 'healthy'
}

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

function checked({ status, stdout, stderr }: Outcome, command: string): string {
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stdout}\n${stderr}`)
  return stdout.trim()
}

function execute(
  program: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const options = { env: { ...process.env, ...more }, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES }
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout, stderr) =>
      resolve({ status: child.exitCode ?? 1, stdout, stderr: error === null ? stderr : `${stderr}\n${error.message}` }),
    )
  })
}

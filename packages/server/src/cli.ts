/** `blindkeep-server`: the operator's commands. */
import './process/nodeVersion.ts'

const { runCommandLine } = await import('./cli/run.ts')
await runCommandLine(process.argv.slice(2))

/** For stories that are not about passwords: Node's own Argon2id takes a sixth of the time that the page's takes. */
import type { BrowserContext } from 'playwright-core'
import { quickStretching } from '../../../testing/people.ts'
import type { Argon2Answer, Argon2Question } from '../src/common/hashing/argon2Messages.ts'

type AskedQuestion = Omit<Argon2Question, 'salt'> & { readonly salt: readonly number[] }

/**
 * The context's pages derive keys in this process, with the suite's parameters, instead of their own worker. No route
 * does it: with one the browser asks this process about each request.
 */
export async function stretchInNode(context: BrowserContext): Promise<void> {
  await context.exposeBinding('stretchInNode', async (_source, { kind, text, salt }: AskedQuestion) => {
    const stretch = kind === 'password' ? quickStretching.masterOfPassword : quickStretching.passphraseProof
    return [...(await stretch(text, Uint8Array.from(salt)))]
  })
  await context.addInitScript(replaceWorker)
}

/** Runs in the page, before its own scripts. */
function replaceWorker(): void {
  const { stretchInNode: ask } = globalThis as unknown as {
    readonly stretchInNode: (question: AskedQuestion) => Promise<readonly number[]>
  }
  class AskingWorker {
    onmessage: ((event: { readonly data: Argon2Answer }) => void) | undefined
    onerror: (() => void) | undefined
    postMessage({ salt, ...question }: Argon2Question): void {
      ask({ ...question, salt: [...salt] }).then(
        (derived) => this.onmessage?.({ data: { derived: Uint8Array.from(derived) } }),
        () => this.onerror?.(),
      )
    }
    terminate(): void {
      this.onmessage = undefined
    }
  }
  globalThis.Worker = new Proxy(Worker, {
    construct: (target, [address, options]) =>
      /\/argon2Worker-[\w-]+\.js$/.test(String(address)) ? new AskingWorker() : new target(address, options),
  })
}

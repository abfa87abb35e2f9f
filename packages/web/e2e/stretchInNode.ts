/** For stories that are not about passwords: Node's own Argon2id takes a sixth of the time that the page's takes. */
import type { BrowserContext } from 'playwright-core'
import { quickStretching } from '../../../testing/people.ts'
import type { Argon2Question } from '../src/common/argon2Messages.ts'

const ASKED = '/argon2-in-node'

type AskedQuestion = Omit<Argon2Question, 'salt'> & { readonly salt: readonly number[] }

/** The context's pages derive keys in this process, with the suite's parameters, instead of their own worker. */
export async function stretchInNode(context: BrowserContext): Promise<void> {
  await context.route(/\/argon2Worker-[\w-]+\.js$/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `(${askNode})(${JSON.stringify(ASKED)})` })
  })
  await context.route(`**${ASKED}`, async (route) => {
    const { kind, text, salt }: AskedQuestion = route.request().postDataJSON()
    const stretch = kind === 'password' ? quickStretching.masterOfPassword : quickStretching.passphraseProof
    await route.fulfill({ json: [...(await stretch(text, Uint8Array.from(salt)))] })
  })
}

/** Runs in the worker. */
function askNode(address: string): void {
  self.onmessage = async ({ data }: MessageEvent<Argon2Question>) => {
    const body = JSON.stringify({ ...data, salt: [...data.salt] })
    const answer = await fetch(address, { method: 'POST', body })
    self.postMessage({ derived: new Uint8Array(await answer.json()) })
  }
}

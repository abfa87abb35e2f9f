/** Functions that run in a tab. Each is sent there as text, so it cannot use anything outside itself. */

/** How long a file took, in seconds. */
export interface UploadSeconds {
  readonly preparing: number
  readonly sending: number
}

export async function untilShown({
  selector,
  timeoutMs,
}: {
  readonly selector: string
  readonly timeoutMs: number
}): Promise<void> {
  if (document.querySelector(selector) !== null) return
  await new Promise<void>((resolve, reject) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector(selector) !== null) resolve()
    })
    observer.observe(document, { subtree: true, childList: true, attributes: true })
    setTimeout(() => reject(new Error(`${selector} was not shown`)), timeoutMs)
  })
}

/** How the page names what this row waits for. */
interface SendingTexts {
  /** Of the button that starts sending. */
  readonly send: string
  /** Shown when the receipt is checked. */
  readonly done: string
  readonly timeoutMs: number
}

export async function sealAndSend({ send, done, timeoutMs }: SendingTexts): Promise<UploadSeconds> {
  const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent.trim() === send)
  if (button === undefined) throw new Error(`the page has no button "${send}"`)
  const startedAt = performance.now()
  let preparing = 0
  button.click()
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      const row = document.querySelector('.queue-row')
      if (preparing === 0 && row?.matches('.sending') === true) preparing = performance.now() - startedAt
      if (row?.matches('.failed') === true) reject(new Error(row.textContent))
      if (document.querySelector('.done-card')?.textContent.includes(done) === true) resolve()
    }
    new MutationObserver(look).observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    })
    setTimeout(() => reject(new Error(`the page did not show "${done}" in time`)), timeoutMs)
  })
  return { preparing: preparing / 1000, sending: (performance.now() - startedAt - preparing) / 1000 }
}

export async function addChooser(id: string): Promise<void> {
  const chooser = document.createElement('input')
  document.getElementById(id)?.remove()
  chooser.type = 'file'
  chooser.id = id
  chooser.hidden = true
  document.body.append(chooser)
}

export interface BareWork {
  /** The URL of `peers/bareSealing.ts`, built. */
  readonly script: string
  readonly work: 'sealBare' | 'sealAndSendBare'
}

export async function workBare({ script, work }: BareWork): Promise<number> {
  const peer: typeof import('./peers/bareSealing.ts') = await import(script)
  const chooser = document.querySelector<HTMLInputElement>('#bare')
  const [file] = chooser?.files ?? []
  if (file === undefined) throw new Error('no file was chosen')
  return peer[work](file)
}

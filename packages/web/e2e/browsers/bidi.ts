/** WebDriver BiDi (W3C): commands and events as JSON over one WebSocket. */

export interface Bidi {
  /** Rejects with the browser's error, or when the connection ends first. */
  send<Result>(method: string, params: object): Promise<Result>
  on<Event>(method: string, listener: (event: Event) => void): void
  close(): void
}

type Message =
  | { readonly type: 'success'; readonly id: number; readonly result: unknown }
  | { readonly type: 'error'; readonly id: number | null; readonly error: string; readonly message: string }
  | { readonly type: 'event'; readonly method: string; readonly params: unknown }

interface Waiting {
  readonly method: string
  resolve(result: unknown): void
  reject(error: Error): void
}

export async function openBidi(address: string): Promise<Bidi> {
  const socket = new WebSocket(address)
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<string, (event: unknown) => void>()
  let lastId = 0

  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error(`no connection to ${address}`)))
  })
  socket.addEventListener('close', () => {
    for (const { method, reject } of waiting.values()) reject(new Error(`the browser ended during ${method}`))
    waiting.clear()
  })
  socket.addEventListener('message', ({ data }) => {
    const message: Message = JSON.parse(String(data))
    if (message.type === 'event') {
      listeners.get(message.method)?.(message.params)
      return
    }
    const asked = message.id === null ? undefined : waiting.get(message.id)
    if (message.id === null || asked === undefined) return
    waiting.delete(message.id)
    if (message.type === 'success') asked.resolve(message.result)
    else asked.reject(new Error(`${asked.method}: ${message.error}: ${message.message}`))
  })

  return {
    send<Result>(method: string, params: object): Promise<Result> {
      const id = ++lastId
      return new Promise<Result>((resolve, reject) => {
        waiting.set(id, { method, resolve: (result) => resolve(result as Result), reject })
        socket.send(JSON.stringify({ id, method, params }))
      })
    },
    on: <Event>(method: string, listener: (event: Event) => void) =>
      void listeners.set(method, (event) => listener(event as Event)),
    close: () => socket.close(),
  }
}

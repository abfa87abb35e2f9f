/** The owner's service workers, each with a folder without pages: `push` for messages, `take` for files. */
import { trustedWorkerUrl } from '../../common/address/trustedUrl.ts'

type Folder = 'push' | 'take'

export const scopeAt = (baseUrl: string, folder: Folder) => `${baseUrl}/${folder}/`

/** The worker controls the addresses of its own folder. It is active when this resolves. */
export async function registerServiceWorker(baseUrl: string, folder: Folder): Promise<ServiceWorkerRegistration> {
  const scope = scopeAt(baseUrl, folder)
  const script = trustedWorkerUrl(new URL(`${scope}worker.js`))
  const registration = await navigator.serviceWorker.register(script, { scope })
  await activated(registration)
  return registration
}

async function activated({ active, waiting, installing }: ServiceWorkerRegistration): Promise<void> {
  const worker = waiting ?? installing
  if (active !== null || worker === null) return
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      if (worker.state === 'activating' || worker.state === 'activated') resolve()
      else if (worker.state === 'redundant') reject(new Error('the service worker was not installed'))
    }
    worker.addEventListener('statechange', look)
    look()
  })
}

/** Whether the page runs as an installed app. */
export function isInstalled(): boolean {
  return matchMedia('(display-mode: standalone)').matches
}

/** In a canonical origin: a host that is, to each machine, that machine. A pattern without anchors. */
export const LOOPBACK_HOST = 'localhost|127\\.[0-9.]+|\\[::1\\]'

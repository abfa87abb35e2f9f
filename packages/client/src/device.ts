/** The signing key pair of one device: made here, kept by the application, added to an account with `Owner.addDevice`. */
export { type Device, newDevice, openDevice, openSealedDevice, sealDevice } from './account/device.ts'

// How tests, benches and scripts start Chromium: options of Playwright's `launch`.

// A switch given twice counts once, so this list holds what Playwright turns off by itself.
const OFF = [
  'AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades', 'LensOverlay', 'MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch', 'ThirdPartyStoragePartitioning',
  // Pages of the browser's own behind its address bar: each new window loads them, for a second of a processor.
  'WebUIOmniboxAimPopup', 'WebUIOmniboxPopup',
];

export const options = {
  executablePath: process.env.AXONSCOPE_CHROMIUM ?? '/usr/bin/chromium',
  // A software canvas is fast without the GPU process; the rest keeps the browser's own services quiet.
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--disable-dev-shm-usage', `--disable-features=${OFF.join(',')}`],
};

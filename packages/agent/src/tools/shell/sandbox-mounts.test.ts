import { describe, expect, it } from 'vitest';
import { type Mounts, mountArguments } from './sandbox-mounts.js';

const NOTHING: Mounts = {
  writable: [],
  readOnly: [],
  visible: [],
  hidden: [],
  masked: [],
  temporary: { type: 'system' },
  processes: 'shared',
};

const argumentsOf = (mounts: Partial<Mounts>): string =>
  mountArguments({ ...NOTHING, ...mounts }).join(' ');

describe('the mounts of a sandbox', () => {
  it('SE-6 are read-only unless something is named', () => {
    expect(argumentsOf({})).toBe('--ro-bind / / --dev /dev');
  });

  it('SE-6 go from the root down, so that deeper paths override', () => {
    const made = argumentsOf({
      writable: ['/home/a/work', '/'],
      readOnly: ['/home/a/work/.git/hooks'],
      hidden: ['/home/a/.stoa'],
      processes: 'separate',
    });
    expect(made).toBe(
      '--ro-bind / / --bind / / --dev /dev --unshare-pid --proc /proc --bind /home /home --bind /home/a /home/a ' +
        '--bind /home/a/work /home/a/work --tmpfs /home/a/.stoa --remount-ro /home/a/.stoa ' +
        '--bind /home/a/work/.git /home/a/work/.git --ro-bind /home/a/work/.git/hooks /home/a/work/.git/hooks',
    );
  });

  it('SE-6 leave out a writable path inside another one, where a link could replace it', () => {
    const made = argumentsOf({ writable: ['/work', '/work/target'] });
    expect(made).toBe('--ro-bind / / --dev /dev --bind /work /work');
  });

  it('open nothing in a hidden directory', () => {
    const made = argumentsOf({ writable: ['/data/x'], hidden: ['/data'] });
    expect(made).not.toContain('--bind /data/x');
  });

  it('have a temporary directory of their own, unless the workspace is that of the system', () => {
    const temporary = { type: 'directory', path: '/data/tmp' } as const;
    expect(argumentsOf({ temporary })).toContain('--bind /data/tmp /tmp');
    expect(argumentsOf({ temporary, writable: ['/tmp'] })).not.toContain('/data/tmp');
    expect(argumentsOf({ temporary: { type: 'memory' } })).toContain('--tmpfs /tmp');
  });

  it('SE-6 mask a socket unless it is opened', () => {
    const masked = ['/run/docker.sock'];
    expect(argumentsOf({ masked })).toContain('--ro-bind /dev/null /run/docker.sock');
    expect(argumentsOf({ masked, writable: masked })).not.toContain('/dev/null');
  });

  it('give a device that is opened as a device', () => {
    expect(argumentsOf({ writable: ['/dev/dri'] })).toContain('--dev-bind /dev/dri /dev/dri');
  });

  it('keep the files of a program that lie in the temporary directory visible, and nothing that is hidden', () => {
    const made = argumentsOf({
      temporary: { type: 'memory' },
      visible: ['/tmp/tools', '/opt/tools', '/tmp', '/tmp/data/inner'],
      hidden: ['/tmp/data', '/tmp/tools/data'],
    });
    expect(made).toBe(
      '--ro-bind / / --dev /dev --tmpfs /tmp --ro-bind /tmp/tools /tmp/tools ' +
        '--tmpfs /tmp/tools/data --remount-ro /tmp/tools/data',
    );
  });
});

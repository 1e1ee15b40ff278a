#!/usr/bin/env bash
# systemd as the first process of namespaces that are made already, on a copy of this machine's files that is gone with them.
# systemd.sh <folder> <node> <repository> <path to install>...: the folder has the settings, heliograph.env.
set -euo pipefail
umask 022
folder=$1 node=$(realpath "$2") repository=$(realpath "$3")
shift 3

# What is written stays in memory.
mkdir "$folder/memory"
mount -t tmpfs none "$folder/memory"
cd "$folder/memory"
mkdir upper work root
mount -t overlay none -o lowerdir=/,upperdir=upper,workdir=work root
mkdir root/.old
# Before any path is followed in the copy: a link may be absolute.
pivot_root root root/.old
cd /

mount -t proc none /proc
# The network is the machine's, and some of the kernel's settings too.
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mount -t sysfs -o ro none /sys
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs -o mode=755 none /dev
mount -t tmpfs -o mode=755 none /run
mount -t tmpfs -o mode=1777 none /tmp
for device in null zero full random urandom tty; do
  touch "/dev/$device"
  mount --bind "/.old/dev/$device" "/dev/$device"
done
ln -s /proc/self/fd /dev/fd
mkdir /dev/shm /dev/pts
mount -t devpts -o newinstance,ptmxmode=0666 none /dev/pts
ln -s pts/ptmx /dev/ptmx

# As docs/operating.md says.
installed=/opt/heliograph/node_modules/heliograph
mkdir -p "$installed"
cd "/.old$repository"
# Not in quotes: some are patterns.
cp -r --parents $* "$installed"
cp -r --parents node_modules/@electric-sql/pglite /opt/heliograph
cd /
chmod -R go+rX /opt/heliograph
rm -f /usr/bin/node
touch /usr/bin/node
mount --bind "/.old$node" /usr/bin/node
install -m 600 "/.old$folder/heliograph.env" /etc/heliograph.env

# No unit of the machine but these: it may have a server that would listen once more.
units=/usr/lib/systemd/system
mount -t tmpfs -o mode=755 none /etc/systemd/system
cp "$units"/{sysinit,basic,multi-user,network-online,shutdown}.target "$units"/systemd-journald{.service,.socket,-dev-log.socket} \
  "/.old$repository/deploy/systemd/heliograph.service" /etc/systemd/system
mkdir /etc/systemd/system/sysinit.target.wants
ln -s ../systemd-journald.service /etc/systemd/system/sysinit.target.wants/
mkdir -p /etc/systemd/journald.conf.d
printf '[Journal]\nStorage=volatile\nReadKMsg=no\nAudit=no\n' >/etc/systemd/journald.conf.d/test.conf

umount -l /.old
# From here on this is not the machine's systemd.
echo 'the copy is mounted'
exec env -i container=test PATH=/usr/sbin:/usr/bin SYSTEMD_UNIT_PATH=/etc/systemd/system SYSTEMD_GENERATOR_PATH=/none \
  /usr/lib/systemd/systemd --system --unit=multi-user.target

#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=dash
# The first program of the node's machine: virtual functions on vfio-pci, containerd, kubelet and the SR-IOV device plugin.
export PATH=/usr/sbin:/usr/bin:/busybox
exec </dev/console >/dev/console 2>&1
mount -t sysfs sys /sys
mount -t proc proc /proc
[ -e /dev/null ] || mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm /dev/hugepages
mount -t devpts devpts /dev/pts
for place in /dev/shm /run /tmp; do mount -t tmpfs tmpfs $place; done
mount -t hugetlbfs -o pagesize=2M hugetlbfs /dev/hugepages
mount -t cgroup2 cgroup /sys/fs/cgroup
/usr/bin/busybox --install -s /busybox
hostname worker
say() { echo "node: $(cut -d' ' -f1 /proc/uptime) s: $*"; }
say "$(uname -r), $(nproc) CPUs"

for module in igb vfio-pci vfio_iommu_type1 overlay bridge br_netfilter veth macvlan virtio_net; do modprobe $module; done
echo 1 > /proc/sys/net/ipv4/ip_forward
ip link set lo up
for device in /sys/class/net/*; do
  name=${device##*/}
  case $(basename "$(readlink "$device/device/driver" 2>/dev/null)") in
    virtio_net)
      ip link set "$name" up
      ip address add 10.245.0.2/24 dev "$name"
      ip route add default via 10.245.0.1 ;;
    igb)
      case $(basename "$(readlink -f "$device/device")") in
        0000:01:*) side=inside ;;
        *) side=outside ;;
      esac
      /usr/bin/ip link set "$name" name "pf-$side"
      name=pf-$side device=/sys/class/net/pf-$side
      ip link set "$name" up
      echo 2 > "$device/device/sriov_numvfs"
      for n in 0 1; do
        /usr/bin/ip link set "$name" vf $n spoofchk off trust on  # by its path: busybox's own ip, which comes first, knows no vf
        address=$(basename "$(readlink -f "$device/device/virtfn$n")")
        echo vfio-pci > "/sys/bus/pci/devices/$address/driver_override"
        [ ! -e "/sys/bus/pci/devices/$address/driver" ] || echo "$address" > "/sys/bus/pci/devices/$address/driver/unbind"
        echo "$address" > /sys/bus/pci/drivers_probe
        say "$address of $name: $(basename "$(readlink "/sys/bus/pci/devices/$address/driver")")"
      done ;;
  esac
done

containerd --log-level warn > /var/log/containerd.log 2>&1 &
until ctr version >/dev/null 2>&1; do sleep 1; done
for image in /images/*.tar; do ctr -n k8s.io images import "$image" >/dev/null || say "no image of $image"; done
say "containerd has $(ctr -n k8s.io images list -q | tr '\n' ' ')"
kubelet --config=/etc/kubelet.json --kubeconfig=/etc/kubelet.kubeconfig --hostname-override=worker --node-ip=10.245.0.2 > /var/log/kubelet.log 2>&1 &
until [ -S /var/lib/kubelet/device-plugins/kubelet.sock ]; do sleep 1; done
say "kubelet"
sriovdp -config-file=/etc/sriovdp.json -logtostderr -v 2 > /var/log/sriovdp.log 2>&1 &
# Errors go to the console, too.
while sleep 20; do
  grep -hE '^[EF][0-9]|level=(error|fatal)' /var/log/*.log | tail -3
  tail -1 /var/log/sriovdp.log
done

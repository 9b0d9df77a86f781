# The image of Berth's nodes, for one architecture: packer build -var arch=arm64 -var payload=dist/bake/arm64 … ami
# `npm run release` runs it for the required architectures.

variable "arch" {
  type        = string
  description = "Debian architecture: amd64 or arm64."
}

variable "payload" {
  type        = string
  description = "Folder created by scripts/agent-binaries/bake-payload.ts."
}

variable "release" {
  type        = string
  description = "The commit, 40 hexadecimal characters."
}

variable "deployment" {
  type    = string
  default = "berth"
}

variable "region" {
  type = string
}

variable "workspace_image" {
  type        = string
  default     = ""
  description = "Workspace image to pull into the node's engine."
}

variable "manifest" {
  type        = string
  default     = "packer-manifest.json"
  description = "File for the id of the image."
}

locals {
  instance_types = { amd64 = "t3.small", arm64 = "t4g.small" }
  ami_archs      = { amd64 = "x86_64", arm64 = "arm64" }
  tags = {
    "berth:stack"   = var.deployment
    "berth:release" = var.release
  }
}

source "amazon-ebs" "node" {
  region          = var.region
  instance_type   = local.instance_types[var.arch]
  ssh_username    = "admin"
  ami_name        = "${var.deployment}-node-${var.arch}-${var.release}"
  ami_description = "Berth node, ${var.arch}, release ${var.release}"
  tags            = local.tags
  snapshot_tags   = local.tags
  source_ami_filter {
    filters = {
      name                = "debian-12-${var.arch}-*"
      architecture        = local.ami_archs[var.arch]
      virtualization-type = "hvm"
      root-device-type    = "ebs"
    }
    # Debian's AWS account.
    owners      = ["136693071363"]
    most_recent = true
  }
  launch_block_device_mappings {
    device_name           = "/dev/xvda"
    volume_type           = "gp3"
    volume_size           = 12
    iops                  = 3000
    throughput            = 125
    delete_on_termination = true
  }
}

build {
  sources = ["source.amazon-ebs.node"]

  provisioner "shell" {
    inline = ["cloud-init status --wait >/dev/null", "mkdir -p /tmp/bake"]
  }

  provisioner "file" {
    source      = "${var.payload}/"
    destination = "/tmp/bake"
  }

  provisioner "shell" {
    environment_vars = ["WORKSPACE_IMAGE=${var.workspace_image}"]
    execute_command  = "sudo env {{ .Vars }} bash '{{ .Path }}'"
    inline           = ["bash /tmp/bake/bake.sh", "rm -rf /tmp/bake"]
  }

  post-processor "manifest" {
    output     = var.manifest
    strip_path = true
  }
}
